package spindrift

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// findCrashes finds the markers of processes that are gone. A clean end removes its marker.
func (k *Kit) findCrashes() {
	markers, _ := filepath.Glob(k.path("run-*"))
	for _, path := range markers {
		pid, name := 0, filepath.Base(path)
		if _, err := fmt.Sscanf(name, "run-%d", &pid); err != nil || isOther(pid) {
			continue
		}
		if version, reason, isWhole := strings.Cut(k.read(name), " "); isWhole {
			k.keep(report{"crash", reason, version})
		}
		os.Remove(path)
	}
}

// keep writes a report. Equal ones have the same name, and so one file.
func (k *Kit) keep(r report) {
	waiting, _ := os.ReadDir(k.path("reports"))
	if text, err := json.Marshal(r); err == nil && len(waiting) < maxReports && k.config.ReportKey != "" {
		k.write(filepath.Join("reports", asReason(r.Type+"-"+r.Reason+"-"+r.Version)), string(text))
	}
}

// mark writes the marker of this run, with the reason of the crash if it stays.
func (k *Kit) mark(reason string) {
	if k.config.ReportKey != "" {
		k.write(marker(), k.config.Version+" "+reason)
	}
}

func (k *Kit) path(name string) string { return filepath.Join(k.config.Dir, name) }

func (k *Kit) read(name string) string {
	text, _ := os.ReadFile(k.path(name))
	return string(text)
}

func (k *Kit) write(name, text string) {
	_ = os.MkdirAll(filepath.Dir(k.path(name)), 0o700)
	_ = os.WriteFile(k.path(name), []byte(text), 0o600)
}

func marker() string { return fmt.Sprintf("run-%d", os.Getpid()) }

// isOther says whether another process has this number. In containers, each run can have the same one.
func isOther(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || pid == os.Getpid() {
		return false
	}
	defer process.Release()
	return runtime.GOOS == "windows" || process.Signal(syscall.Signal(0)) == nil
}

var notInReason = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func asReason(text string) string {
	text = notInReason.ReplaceAllString(text, "_")
	if len(text) > 128 {
		return text[:128]
	}
	return text
}
