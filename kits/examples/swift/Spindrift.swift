import Foundation
#if canImport(Sparkle)
import Sparkle
#endif

/// A kit for applications on macOS. It keeps a device id, and reports crashes and failed updates. If its folder cannot
/// be written, the device id lasts for the run, and nothing is reported. Keep it for as long as the application runs.
public final class Spindrift: NSObject, @unchecked Sendable {
    public enum Failure: String {
        case crash, startup = "startup_failure", update = "update_failure"
        case install = "install_failure", rollback = "rollback_failure"
    }

    /// The text for the header `X-Device-ID`, or the parameter `stagingId`.
    public let deviceID: String

    private static let maxReports = 20 // that wait; further ones are dropped
    private static let maxAge: TimeInterval = 14 * 24 * 3600 // of a report that waits
    private static let folders = ["owner", "app_name", "channel", "platform", "arch", "version"]

    private let url: URL
    private let scope: [String: String]
    private let reportKey: String?
    private let folder: URL
    private let queue = DispatchQueue(label: "spindrift")
    private lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    private var marker: Int32 = -1
    private var isSending = false

    /// Begins a run, and reports earlier ones that have crashed. Without a report key, nothing is reported.
    public init(url: URL, owner: String, app: String, channel: String, arch: String, reportKey: String?) {
        let version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? "0"
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        let folder = support.appendingPathComponent("\(Bundle.main.bundleIdentifier ?? app)/spindrift")
        let reports = folder.appendingPathComponent("reports")
        try? FileManager.default.createDirectory(at: reports, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("device-id")
        let kept = (try? String(contentsOf: file, encoding: .utf8)).flatMap { UUID(uuidString: $0) }
        let id = (kept ?? UUID()).uuidString
        if kept == nil { try? id.write(to: file, atomically: true, encoding: .utf8) }
        deviceID = id
        scope = [
            "owner": owner, "app_name": app, "channel": channel, "platform": "darwin", "arch": arch, "version": version,
        ]
        self.url = url
        self.reportKey = reportKey
        self.folder = folder
        super.init()
        guard reportKey != nil else { return }
        beginRun(version)
        send()
    }

    /// The feed of this version: `appcast.xml` for Sparkle, `squirrel.json` for Squirrel.Mac.
    public func feed(_ name: String) -> URL {
        let parts = Self.folders.map { scope[$0] ?? "" } + [name]
        return parts.reduce(url.appendingPathComponent("update")) { $0.appendingPathComponent($1) }
    }

    /// Reports a failure. The reason is short and constant: equal ones are counted together.
    public func report(_ failure: Failure, _ reason: String) {
        queue.async { self.keep(failure, reason, self.scope["version"] ?? "") }
        send()
    }

    /// Counts the device. Call it on days without a check.
    public func beacon() {
        var parts = URLComponents(url: url.appendingPathComponent("telemetry/beacon"), resolvingAgainstBaseURL: false)
        parts?.queryItems = scope.map { URLQueryItem(name: $0.key, value: $0.value) }
        parts?.percentEncodedQuery = parts?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        guard let address = parts?.url else { return }
        queue.async { self.session.dataTask(with: self.makeRequest(address)).resume() }
    }

    /// Sends the reports that wait. What the service has not counted waits for the next call.
    public func send() {
        queue.async {
            guard !self.isSending else { return }
            self.isSending = true
            let reports = self.folder.appendingPathComponent("reports")
            let files = try? FileManager.default.contentsOfDirectory(at: reports, includingPropertiesForKeys: nil)
            self.send((files ?? [])[...])
        }
    }

    /// Ends the run as it should, which `NSApplication` does for you. Call it before `exit`.
    public func end() {
        queue.sync {
            guard marker >= 0 else { return }
            ftruncate(marker, 0)
            close(marker)
            marker = -1
            ProcessInfo.processInfo.enableSuddenTermination()
        }
    }

    /// The marker of a crashed run is not empty. While a process has it, others cannot lock it.
    private func beginRun(_ version: String) {
        let file = open(folder.appendingPathComponent("run").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return
        }
        var last = [UInt8](repeating: 0, count: 256)
        let count = pread(file, &last, last.count, 0)
        if count > 0 { keep(.crash, "exit.unclean", String(decoding: last.prefix(count), as: UTF8.self)) }
        ftruncate(file, 0)
        pwrite(file, Array(version.utf8), version.utf8.count, 0)
        marker = file
        // Otherwise, logging off kills the application.
        ProcessInfo.processInfo.disableSuddenTermination()
        let terminates = Notification.Name("NSApplicationWillTerminateNotification")
        _ = NotificationCenter.default.addObserver(forName: terminates, object: nil, queue: nil) { _ in self.end() }
    }

    /// Equal reports have the same name, and so one file.
    private func keep(_ failure: Failure, _ reason: String, _ version: String) {
        let reports = folder.appendingPathComponent("reports")
        let waiting = (try? FileManager.default.contentsOfDirectory(atPath: reports.path)) ?? []
        guard reportKey != nil, waiting.count < Self.maxReports else { return }
        let report = ["type": failure.rawValue, "reason": Self.reason(reason), "version": version]
        let file = reports.appendingPathComponent(Self.reason("\(failure.rawValue)-\(reason)-\(version)"))
        try? JSONEncoder().encode(report).write(to: file, options: .atomic)
    }

    private func send(_ files: ArraySlice<URL>) {
        guard let file = files.first else {
            isSending = false
            return
        }
        let date = try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        guard let data = try? Data(contentsOf: file), let date, -date.timeIntervalSinceNow < Self.maxAge,
              let report = try? JSONDecoder().decode([String: String].self, from: data)
        else {
            try? FileManager.default.removeItem(at: file)
            return send(files.dropFirst())
        }
        var request = makeRequest(url.appendingPathComponent("reports/ingest"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(reportKey ?? "")", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try? JSONEncoder().encode([
            "application": ["name": scope["app_name"], "version": report["version"], "channel": scope["channel"]],
            "system": ["platform": scope["platform"], "arch": scope["arch"]],
            "event": ["type": report["type"], "reason": report["reason"]],
        ])
        session.dataTask(with: request) { _, response, _ in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            self.queue.async {
                let isDone = (200..<300).contains(status) || (400..<500).contains(status) && status != 429
                if isDone { try? FileManager.default.removeItem(at: file) }
                // The limit of one report says nothing about the next.
                self.send(isDone || status == 429 ? files.dropFirst() : [])
            }
        }.resume()
    }

    private func makeRequest(_ address: URL) -> URLRequest {
        var request = URLRequest(url: address, timeoutInterval: 15)
        request.setValue(deviceID, forHTTPHeaderField: "X-Device-ID")
        return request
    }

    private static func reason(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "[^A-Za-z0-9._-]+", with: "_", options: .regularExpression)
        return String(text.prefix(128))
    }
}

extension Spindrift: URLSessionTaskDelegate {
    /// Follows no redirects: a service that answers with one is not the service.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

#if canImport(Sparkle)
extension Spindrift: SPUUpdaterDelegate {
    public func feedURLString(for updater: SPUUpdater) -> String? {
        feed("appcast.xml").absoluteString
    }

    public func feedParameters(
        for updater: SPUUpdater, sendingSystemProfile sendingProfile: Bool
    ) -> [[String: String]] {
        [["key": "stagingId", "value": deviceID, "displayKey": "Device", "displayValue": deviceID]]
    }

    public func updater(_ updater: SPUUpdater, failedToDownloadUpdate item: SUAppcastItem, error: Error) {
        var cause: NSError? = error as NSError
        while let error = cause {
            if error.domain == NSURLErrorDomain { return } // The network failed.
            cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        report(.update, "download.\((error as NSError).code)")
    }

    /// Errors from 3000 on follow the download. 4007 and 4008: the user has cancelled the update.
    public func updater(_ updater: SPUUpdater, didAbortWithError error: Error) {
        let code = (error as NSError).code
        if (3000..<5000).contains(code), ![4007, 4008].contains(code) { report(.install, "install.\(code)") }
    }
}
#endif
