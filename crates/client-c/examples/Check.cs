// Checks for an update: check.exe https://updates.example

using System;
using System.Runtime.InteropServices;
using System.Text;

// The fields in the order of spindrift.h. The texts are UTF-8, which this struct does not own.
[StructLayout(LayoutKind.Sequential)]
struct Config
{
    public UIntPtr Size;
    public IntPtr BaseUrl, EdgeUrl, Owner, AppName, Version, Channel, Platform, Arch, Updater, OsVersion;
    public IntPtr Groups, DeviceId, ReportKey, Token, DownloadToken;
    public IntPtr TrustRoot, TrustRepository, TrustFolder, TrustBucketUrl, TrustChannels;
}

static class Native
{
    const string Library = "spindrift";

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern int spindrift_client_new(ref Config config, out IntPtr client, out IntPtr error);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern int spindrift_check(
        IntPtr client, IntPtr kit, int userAsked, out IntPtr update, out IntPtr error);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern IntPtr spindrift_update_version(IntPtr update);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern IntPtr spindrift_error_message(IntPtr error);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern void spindrift_client_free(IntPtr client);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern void spindrift_update_free(IntPtr update);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    public static extern void spindrift_error_free(IntPtr error);
}

static class Check
{
    // UTF-8 with a NUL at its end, to be freed with Marshal.FreeHGlobal.
    static IntPtr ToNative(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text + "\0");
        IntPtr copy = Marshal.AllocHGlobal(bytes.Length);
        Marshal.Copy(bytes, 0, copy, bytes.Length);
        return copy;
    }

    static string FromNative(IntPtr text)
    {
        int length = 0;
        while (Marshal.ReadByte(text, length) != 0)
            length++;
        byte[] bytes = new byte[length];
        Marshal.Copy(text, bytes, 0, length);
        return Encoding.UTF8.GetString(bytes);
    }

    static void Require(int status, IntPtr error)
    {
        if (status == 0)
            return;
        string message = FromNative(Native.spindrift_error_message(error));
        Native.spindrift_error_free(error);
        throw new InvalidOperationException(message);
    }

    static void Main(string[] arguments)
    {
        IntPtr[] texts = Array.ConvertAll(
            new[] { arguments[0], "acme", "notes", "1.2.0", "stable", "linux", "amd64" }, ToNative);
        Config config = new Config
        {
            Size = (UIntPtr)(uint)Marshal.SizeOf(typeof(Config)),
            BaseUrl = texts[0],
            Owner = texts[1],
            AppName = texts[2],
            Version = texts[3],
            Channel = texts[4],
            Platform = texts[5],
            Arch = texts[6],
        };
        IntPtr client, update, error;
        Require(Native.spindrift_client_new(ref config, out client, out error), error);
        Array.ForEach(texts, Marshal.FreeHGlobal);

        Require(Native.spindrift_check(client, IntPtr.Zero, 0, out update, out error), error);
        bool isThere = update != IntPtr.Zero;
        Console.WriteLine(
            isThere ? FromNative(Native.spindrift_update_version(update)) + " is there" : "up to date");
        Native.spindrift_update_free(update);
        Native.spindrift_client_free(client);
    }
}
