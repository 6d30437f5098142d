//go:build linux

// Command avx512check is the first program of the kernel that scripts/avx512-check starts in an
// emulator: it runs the tests that the file /tests lists, and switches the machine off. A line of that
// file has a package's directory, a test binary and a pattern of tests, separated by tabs.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	console := start()
	failed, err := run(console)
	switch {
	case err != nil:
		fmt.Fprintln(console, "===", err)
	case failed > 0:
		fmt.Fprintf(console, "=== %d packages failed\n", failed)
	default:
		fmt.Fprintln(console, "=== all passed")
	}
	time.Sleep(time.Second) // the console is slow
	log.Fatal(syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF))
}

// start mounts what programs expect, and returns the console.
func start() io.Writer {
	for _, fs := range [][2]string{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}} {
		if err := syscall.Mount(fs[0], fs[1], fs[0], 0, ""); err != nil {
			log.Print(fs[1], ": ", err)
		}
	}
	console, err := os.OpenFile("/dev/ttyS0", os.O_RDWR, 0)
	if err != nil {
		log.Print(err)
		return os.Stderr
	}
	return console
}

// run runs the tests with AVX-512 and returns the number of packages that failed. A processor without
// AVX-512 is an error: the tests would pass with other instructions.
func run(console io.Writer) (failed int, err error) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(info, []byte(" avx512f ")) {
		return 0, fmt.Errorf("the processor has no AVX-512")
	}
	tests, err := os.ReadFile("/tests")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(tests)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			return failed, fmt.Errorf("/tests: %q has not three fields", line)
		}
		fmt.Fprintln(console, "=== package", f[0], "tests", f[2])
		c := exec.Command(f[1], "-test.v", "-test.short", "-test.timeout=0", "-test.run="+f[2])
		c.Dir = filepath.Join("/repo", f[0])
		c.Env = append(os.Environ(), "HOME=/tmp", "ONELOOP_CPU=avx512")
		c.Stdout, c.Stderr = console, console
		begin := time.Now()
		if err := c.Run(); err != nil {
			fmt.Fprintln(console, "=== failed:", err)
			failed++
		}
		fmt.Fprintln(console, "=== took", time.Since(begin).Round(time.Second))
	}
	return failed, nil
}
