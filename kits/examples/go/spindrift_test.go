package spindrift

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const key = "rpk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// service answers with a status and a body, and remembers the requests.
type service struct {
	*httptest.Server
	status   int
	body     string
	requests []*http.Request
	reports  []map[string]map[string]string
}

func serve(t *testing.T) *service {
	s := &service{status: http.StatusAccepted}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests = append(s.requests, r)
		if r.Method == http.MethodPost {
			var report map[string]map[string]string
			body, _ := io.ReadAll(r.Body)
			if err := json.Unmarshal(body, &report); err != nil {
				t.Errorf("the body %q: %v", body, err)
			}
			s.reports = append(s.reports, report)
		}
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) config(dir string) Config {
	return Config{Dir: dir, URL: s.URL + "/", Owner: "ada", App: "notes", Version: "1.0.0", Channel: "stable",
		Platform: "linux", Arch: "amd64", ReportKey: key}
}

func waiting(t *testing.T, dir string) int {
	files, _ := os.ReadDir(filepath.Join(dir, "reports"))
	return len(files)
}

func send(t *testing.T, k *Kit) {
	t.Helper()
	if err := k.Send(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestTheDeviceIDIsKept(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	first := NewKit(s.config(dir)).DeviceID()
	if second := NewKit(s.config(dir)).DeviceID(); len(first) != 32 || second != first {
		t.Fatalf("%q, then %q", first, second)
	}
	if err := os.WriteFile(filepath.Join(dir, "device-id"), []byte("damaged\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if third := NewKit(s.config(dir)).DeviceID(); len(third) != 32 || third == first {
		t.Fatalf("%q after the file was damaged", third)
	}
}

func TestAReportHasWhatTheServiceDemands(t *testing.T) {
	s := serve(t)
	k := NewKit(s.config(t.TempDir()))
	defer k.Close()
	k.Report("update_failure", "download: no space / left")
	send(t, k)
	if len(s.reports) != 1 {
		t.Fatalf("%d reports", len(s.reports))
	}
	want := `map[application:map[channel:stable name:notes version:1.0.0] ` +
		`event:map[reason:download_no_space_left type:update_failure] system:map[arch:amd64 platform:linux]]`
	if got := fmt.Sprint(s.reports[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r := s.requests[0]
	if r.Method != "POST" || r.URL.String() != "/reports/ingest" || r.Header.Get("Authorization") != "Bearer "+key ||
		r.Header.Get("X-Device-ID") != k.DeviceID() || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	send(t, k)
	if len(s.reports) != 1 {
		t.Error("it was sent twice")
	}
}

func TestACrashIsReportedByTheNextRun(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	NewKit(s.config(dir)) // A run that does not close.
	config := s.config(dir)
	config.Version = "1.1.0"
	k := NewKit(config)
	send(t, k)
	if len(s.reports) != 1 || s.reports[0]["application"]["version"] != "1.0.0" ||
		s.reports[0]["event"]["type"] != "crash" || s.reports[0]["event"]["reason"] != "exit.unclean" {
		t.Fatalf("%v", s.reports)
	}
	k.Close()
	k = NewKit(config)
	defer k.Close()
	if send(t, k); len(s.reports) != 1 {
		t.Fatalf("a clean end was reported: %v", s.reports)
	}
}

func TestTheMarkerOfARunningProcessStays(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	running, gone := fmt.Sprintf("run-%d", os.Getppid()), "run-999999999"
	for _, name := range []string{running, gone} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("0.9.0 exit.unclean"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	defer NewKit(s.config(dir)).Close()
	if _, err := os.Stat(filepath.Join(dir, running)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, gone)); err == nil || waiting(t, dir) != 1 {
		t.Error("the crash was not noticed")
	}
}

func TestAPanicGoesOnAndIsACrash(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	func() {
		defer func() {
			if cause := recover(); cause == nil || !strings.Contains(fmt.Sprint(cause), "out of range") {
				t.Errorf("the panic was %v", cause)
			}
		}()
		defer NewKit(s.config(dir)).Close()
		_ = []int{}[len(dir)]
	}()
	k := NewKit(s.config(dir))
	defer k.Close()
	if send(t, k); len(s.reports) != 1 || s.reports[0]["event"]["reason"] != "uncaught.runtime.boundsError" {
		t.Fatalf("%v", s.reports)
	}
}

func TestReportsWait(t *testing.T) {
	for status, stays := range map[int]bool{202: false, 302: true, 400: false, 401: false, 429: true, 503: true} {
		s, dir := serve(t), t.TempDir()
		s.status = status
		k := NewKit(s.config(dir))
		k.Report("update_failure", "a")
		k.Report("update_failure", "a")
		k.Report("update_failure", "b")
		if err := k.Send(context.Background()); (err != nil) != stays {
			t.Errorf("%d: %v", status, err)
		}
		if got := waiting(t, dir); (got == 2) != stays || (got == 0) == stays {
			t.Errorf("%d: %d wait", status, got)
		}
		if want := map[bool]int{true: 1, false: 2}[status == 503 || status == 302]; len(s.reports) != want {
			t.Errorf("%d: %d were sent, not %d", status, len(s.reports), want)
		}
	}
}

func TestAtMostTwentyReportsWait(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	k := NewKit(s.config(dir))
	for i := 0; i < 100; i++ {
		k.Report("crash", strings.Repeat("x", 200)+fmt.Sprint(i))
		k.Report("crash", fmt.Sprint(i))
	}
	if got := waiting(t, dir); got != maxReports {
		t.Fatalf("%d wait", got)
	}
	if send(t, k); waiting(t, dir) != 0 {
		t.Fatal("some are left")
	}
}

func TestChecksAndBeacons(t *testing.T) {
	s := serve(t)
	k := NewKit(s.config(t.TempDir()))
	for _, test := range []struct {
		status    int
		body      string
		hasUpdate bool
		isAnError bool
	}{
		{200, `{"update_available":true,"version":"1.1.0","update_url_deb":"https://example.com/notes.deb"}`, true, false},
		{200, `{"update_available":false}`, false, false},
		{200, `[]`, false, true},
		{200, ``, false, true},
		{302, ``, false, true},
		{404, `{"error":"application not found"}`, false, true},
	} {
		s.status, s.body = test.status, test.body
		update, err := k.Check(context.Background())
		if (update != nil) != test.hasUpdate || (err != nil) != test.isAnError {
			t.Errorf("%d %s: %v, %v", test.status, test.body, update, err)
		}
	}
	s.status, s.body = 204, ""
	if err := k.Beacon(context.Background()); err != nil {
		t.Error(err)
	}
	want := "?app_name=notes&arch=amd64&channel=stable&owner=ada&platform=linux&version=1.0.0"
	first, last := s.requests[0], s.requests[len(s.requests)-1]
	if first.URL.String() != "/checkVersion"+want || last.URL.String() != "/telemetry/beacon"+want ||
		first.Header.Get("X-Device-ID") != k.DeviceID() || last.Header.Get("X-Device-ID") != k.DeviceID() {
		t.Errorf("%s, %s", first.URL, last.URL)
	}
}

func TestNothingPanics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"", "::", "http://127.0.0.1:1"} {
		k := NewKit(Config{Dir: file, URL: url, ReportKey: key})
		k.Report("", "")
		k.Report("crash", "\x00é")
		_ = k.Send(context.Background())
		if _, err := k.Check(context.Background()); err == nil {
			t.Error("no service, and no error")
		}
		if k.DeviceID() == "" {
			t.Error("no device id")
		}
		k.Close()
		k.Close()
	}
}

func TestWithoutAKeyNothingIsReported(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	config := s.config(dir)
	config.ReportKey = ""
	k := NewKit(config)
	k.Report("crash", "x")
	if send(t, k); len(s.requests) != 0 || waiting(t, dir) != 0 {
		t.Fatal("something was reported")
	}
	if markers, _ := filepath.Glob(filepath.Join(dir, "run-*")); markers != nil {
		t.Fatal("there is a marker")
	}
}
