using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

/// <summary>
/// A kit for applications with Velopack or Squirrel.Windows. It keeps a device id, and reports crashes and failed
/// updates. Nothing in it throws. If the folder cannot be written, the device id lasts for the run, and nothing is
/// reported.
/// </summary>
public static class Spindrift
{
    const int MaxReports = 20; // that wait; further ones are dropped
    static readonly TimeSpan MaxAge = TimeSpan.FromDays(14); // of a report that waits
    static readonly HttpClient Http =
        new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(15) };
    static readonly SemaphoreSlim Sending = new SemaphoreSlim(1);

    static string folder, url, owner, app, channel, platform, arch, version, reportKey;
    static FileStream marker;

    /// <summary>The text for the header X-Device-ID, or the parameter stagingId.</summary>
    public static string DeviceId { get; private set; } = Guid.NewGuid().ToString();

    /// <summary>
    /// Begins a run, and reports earlier ones that have crashed. The folder outlives updates, and belongs to this
    /// application only. Without a report key, nothing is reported.
    /// </summary>
    public static void Begin(string folder, string url, string owner, string app, string channel, string platform,
        string arch, string version, string reportKey)
    {
        Spindrift.folder = folder;
        Spindrift.url = url?.TrimEnd('/');
        Spindrift.owner = owner;
        Spindrift.app = app;
        Spindrift.channel = channel;
        Spindrift.platform = platform;
        Spindrift.arch = arch;
        Spindrift.version = version;
        Spindrift.reportKey = reportKey;
        Try(KeepDeviceId);
        if (string.IsNullOrEmpty(reportKey)) return;
        Try(BeginRun);
        AppDomain.CurrentDomain.ProcessExit += (sender, e) => Exit();
        AppDomain.CurrentDomain.UnhandledException += (sender, e) => Try(() => Uncaught(e.ExceptionObject));
        Task.Run(() => SendAsync());
    }

    /// <summary>Ends the run as it should. Call it when the user logs off, which the runtime may not see.</summary>
    public static void Exit() => Try(() =>
    {
        marker?.SetLength(0);
        marker?.Dispose();
        marker = null;
    });

    /// <summary>Reports a failed update, unless the network failed. The phase is check, download or install.</summary>
    public static void UpdateFailed(string phase, Exception error)
    {
        for (var cause = error; cause != null; cause = cause.InnerException)
        {
            if (cause is HttpRequestException || cause is WebException || cause is SocketException) return;
            if (cause is OperationCanceledException) return;
        }
        Report(phase == "install" ? "install_failure" : "update_failure", phase + "." + error?.GetType().Name);
    }

    /// <summary>
    /// Reports a failure. The type is update_failure, install_failure, startup_failure, rollback_failure or crash. The
    /// reason is short and constant: equal ones are counted together.
    /// </summary>
    public static void Report(string type, string reason)
    {
        Try(() => Keep(type, reason, version));
        Task.Run(() => SendAsync());
    }

    /// <summary>Counts the device. Call it on days without a check.</summary>
    public static async Task BeaconAsync()
    {
        try
        {
            var query = $"owner={Escape(owner)}&app_name={Escape(app)}&version={Escape(version)}"
                + $"&channel={Escape(channel)}&platform={Escape(platform)}&arch={Escape(arch)}";
            var request = new HttpRequestMessage(HttpMethod.Get, $"{url}/telemetry/beacon?{query}");
            await StatusAsync(request).ConfigureAwait(false);
        }
        catch (Exception) { } // The next one counts it.
    }

    /// <summary>Sends the reports that wait. What the service has not counted waits for the next call.</summary>
    public static async Task SendAsync()
    {
        await Sending.WaitAsync().ConfigureAwait(false);
        try
        {
            foreach (var file in new DirectoryInfo(Path.Combine(folder, "reports")).GetFiles())
            {
                var lines = File.ReadAllText(file.FullName).Split('\n');
                if (lines.Length == 3 && DateTime.UtcNow - file.LastWriteTimeUtc < MaxAge)
                {
                    var status = await PostAsync(lines[0], lines[1], lines[2]).ConfigureAwait(false);
                    if (status == 429) continue; // This says nothing about the next report.
                    if (status >= 500 || status >= 300 && status < 400) return;
                }
                file.Delete(); // Counted, too old, or refused for good.
            }
        }
        catch (Exception) { } // There are none, or the service cannot be reached.
        finally
        {
            Sending.Release();
        }
    }

    static Task<int> PostAsync(string type, string reason, string version)
    {
        var application = $"{{\"name\":{Json(app)},\"version\":{Json(version)},\"channel\":{Json(channel)}}}";
        var system = $"{{\"platform\":{Json(platform)},\"arch\":{Json(arch)}}}";
        var failure = $"{{\"type\":{Json(type)},\"reason\":{Json(reason)}}}";
        var body = $"{{\"application\":{application},\"system\":{system},\"event\":{failure}}}";
        var request = new HttpRequestMessage(HttpMethod.Post, url + "/reports/ingest");
        request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + reportKey);
        request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        return StatusAsync(request);
    }

    static async Task<int> StatusAsync(HttpRequestMessage request)
    {
        request.Headers.Add("X-Device-ID", DeviceId);
        using (var response = await Http.SendAsync(request).ConfigureAwait(false)) return (int)response.StatusCode;
    }

    static void KeepDeviceId()
    {
        var file = Path.Combine(Directory.CreateDirectory(folder).FullName, "device-id");
        if (File.Exists(file) && Guid.TryParse(File.ReadAllText(file), out var kept)) DeviceId = kept.ToString();
        else File.WriteAllText(file, DeviceId);
    }

    /// <summary>The marker of a crashed run is not empty. While a process has it, others cannot open it.</summary>
    static void BeginRun()
    {
        var file = Path.Combine(folder, "run");
        marker = new FileStream(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        var bytes = new byte[1024];
        var lines = Encoding.UTF8.GetString(bytes, 0, marker.Read(bytes, 0, bytes.Length)).Split('\n');
        if (lines.Length == 2) Try(() => Keep("crash", lines[1], lines[0]));
        Mark("exit.unclean");
    }

    static void Uncaught(object exception)
    {
        Mark("uncaught." + exception.GetType().Name);
        marker.Dispose();
        marker = null; // Exit leaves it as it is.
    }

    static void Mark(string reason)
    {
        var bytes = Encoding.UTF8.GetBytes(version + "\n" + reason);
        marker.SetLength(0);
        marker.Write(bytes, 0, bytes.Length);
        marker.Flush();
    }

    /// <summary>Equal reports have the same name, and so one file.</summary>
    static void Keep(string type, string reason, string version)
    {
        var reports = Directory.CreateDirectory(Path.Combine(folder, "reports"));
        if (string.IsNullOrEmpty(reportKey) || reports.GetFiles().Length >= MaxReports) return;
        var name = Reason($"{type}-{reason}-{version}");
        File.WriteAllText(Path.Combine(reports.FullName, name), $"{type}\n{Reason(reason)}\n{version}");
    }

    static string Reason(string text)
    {
        text = Regex.Replace(text, "[^A-Za-z0-9._-]+", "_");
        return text.Length > 128 ? text.Substring(0, 128) : text;
    }

    static string Json(string text) => "\"" + Regex.Replace(text, "[\\\\\"]", "\\$0") + "\"";

    static string Escape(string text) => Uri.EscapeDataString(text);

    static void Try(Action action)
    {
        try { action(); }
        catch (Exception) { } // A kit must not be the reason for a crash.
    }
}
