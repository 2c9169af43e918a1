// Package spindrift is a kit for applications in Go that install their updates themselves. It keeps a device id, asks
// for updates, and reports crashes and failed updates. Nothing in it panics. If the folder cannot be written, the
// device id lasts for the run, and nothing is reported.
package spindrift

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxReports = 20                  // that wait; further ones are dropped
	maxAge     = 14 * 24 * time.Hour // of a report that waits
	maxAnswer  = 1 << 20             // bytes
)

// Config names the application. All fields are required, except ReportKey: without it, nothing is reported.
type Config struct {
	Dir                     string // outlives updates, and belongs to this application only
	URL, Owner, App         string
	Channel, Platform, Arch string // "default", runtime.GOOS and runtime.GOARCH if you have no other names
	Version                 string // of this program
	ReportKey               string
}

// Kit is a run of the application. Its methods can be called from several goroutines.
type Kit struct {
	config Config
	device string
	client http.Client
}

type report struct{ Type, Reason, Version string }

// StatusError is an answer of the service that is not a success.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("spindrift: status %d", int(e)) }

// NewKit begins a run, and notices earlier ones that have crashed.
func NewKit(config Config) *Kit {
	k := &Kit{config: config, client: http.Client{Timeout: 15 * time.Second}}
	k.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	k.device = k.read("device-id")
	if id, err := hex.DecodeString(k.device); err != nil || len(id) != 16 {
		id = make([]byte, 16)
		_, _ = rand.Read(id)
		k.device = hex.EncodeToString(id)
		k.write("device-id", k.device)
	}
	k.findCrashes()
	k.mark("exit.unclean")
	return k
}

// Close ends the run. Defer it in main: after a panic, which goes on, the next run reports a crash. So it does after
// os.Exit and signals, unless you call Close before.
func (k *Kit) Close() {
	if cause := recover(); cause != nil {
		k.mark(asReason(fmt.Sprintf("uncaught.%T", cause)))
		panic(cause)
	}
	os.Remove(k.path(marker()))
}

// DeviceID is the text in the header X-Device-ID.
func (k *Kit) DeviceID() string { return k.device }

// Check asks for an update. It returns the answer of GET /checkVersion, or nil if there is no update.
func (k *Kit) Check(ctx context.Context) (answer map[string]any, err error) {
	body, err := k.call(ctx, "/checkVersion", nil)
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil || answer["update_available"] != true {
		return nil, err
	}
	return answer, nil
}

// Beacon counts the device. Call it on days without a check.
func (k *Kit) Beacon(ctx context.Context) error {
	_, err := k.call(ctx, "/telemetry/beacon", nil)
	return err
}

// Report keeps a failure of this version for Send. The kind is update_failure, install_failure, startup_failure,
// rollback_failure or crash. The reason is short and constant, such as download.digest.
func (k *Kit) Report(kind, reason string) {
	k.keep(report{kind, asReason(reason), k.config.Version})
}

// Send reports what waits. After an error, the failures that the service has not counted wait for the next call.
func (k *Kit) Send(ctx context.Context) (limited error) {
	files, _ := os.ReadDir(k.path("reports"))
	for _, file := range files {
		var r report
		name := filepath.Join("reports", file.Name())
		info, err := file.Info()
		if err == nil && time.Since(info.ModTime()) < maxAge && json.Unmarshal([]byte(k.read(name)), &r) == nil {
			var status StatusError
			_, err := k.call(ctx, "/reports/ingest", &r)
			if errors.As(err, &status) && status == http.StatusTooManyRequests { // It says nothing about the next report.
				limited = err
				continue
			}
			if err != nil && (status < 400 || status >= 500) {
				return err
			}
		}
		os.Remove(k.path(name)) // Counted, too old, or refused for good.
	}
	return limited
}

func (k *Kit) call(ctx context.Context, path string, r *report) ([]byte, error) {
	c, method, body := k.config, "GET", []byte(nil)
	if r == nil {
		path += "?" + url.Values{"owner": {c.Owner}, "app_name": {c.App}, "version": {c.Version}, "channel": {c.Channel},
			"platform": {c.Platform}, "arch": {c.Arch}}.Encode()
	} else {
		method = "POST"
		body, _ = json.Marshal(map[string]map[string]string{
			"application": {"name": c.App, "version": r.Version, "channel": c.Channel},
			"system":      {"platform": c.Platform, "arch": c.Arch},
			"event":       {"type": r.Type, "reason": r.Reason},
		})
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Device-ID", k.device)
	if r != nil {
		request.Header.Set("Authorization", "Bearer "+c.ReportKey)
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := k.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return nil, StatusError(response.StatusCode)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxAnswer))
}
