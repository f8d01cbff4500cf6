package page

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serving is a server that runs, whose calls are answered by a function.
type serving struct {
	address, host, token string
	end                  func() error // ends the server and returns the error of Serve
}

func serve(t *testing.T, call func(context.Context, []byte) []byte) *serving {
	t.Helper()
	s := &Server{Page: []byte("<!doctype html><p>the page</p>"), Call: call}
	address, err := s.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	end := sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { end() })
	return &serving{address, s.listener.Addr().String(), s.token, end}
}

// call posts a call to the server and returns status and body.
func (s *serving) call(ctx context.Context, body string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", strings.Replace(s.address, "/?", "/call?", 1),
		strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://"+s.host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return reply.StatusCode, string(text), err
}

// raw sends a request as it is and returns the reply.
func (s *serving) raw(request string) (*http.Response, string, error) {
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		return nil, "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	go io.WriteString(c, request) // the server may answer before it has read all
	method, _, _ := strings.Cut(request, " ")
	reply, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return reply, string(text), err
}

// TestServerHostileRequests: no request but a proper one reaches the page or its calls.
func TestServerHostileRequests(t *testing.T) {
	var calls atomic.Int32
	s := serve(t, func(context.Context, []byte) []byte {
		calls.Add(1)
		return []byte(`{}`)
	})
	_, port, _ := net.SplitHostPort(s.host)
	get := func(target, host, headers string) string {
		return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, host, headers)
	}
	post := func(target, host, headers, body string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", target, host, headers,
			len(body), body)
	}
	const kind = "Content-Type: application/json\r\n"
	query := "?token=" + s.token
	type attack struct {
		status        int
		name, request string
	}
	var list []attack
	both := func(status int, name, host, headers string) {
		list = append(list, attack{status, "GET " + name, get("/"+query, host, headers)},
			attack{status, "POST " + name, post("/call"+query, host, kind+headers, "{}")})
	}
	for _, host := range []string{"", "evil.example", "evil.example:" + port, "127.0.0.1", "localhost",
		"127.0.0.1:80", "localhost:1", "127.0.0.2:" + port, "0.0.0.0:" + port, "[::1]:" + port, "127.1:" + port,
		"2130706433:" + port,
		"localhost.:" + port, "localhost.evil.example:" + port, "127.0.0.1:" + port + ".evil.example",
		"127.0.0.1:" + port + "0", "0x7f.1:" + port, "LOCALHOST.EXAMPLE:" + port, "127.0.0.1." + port} {
		both(http.StatusForbidden, "host "+host, host, "")
	}
	for _, bad := range []string{"127.0.0.1:" + port + "@evil", "user@127.0.0.1:" + port, "a b",
		"127.0.0.1:" + port + "/"} {
		both(0, "host "+bad, bad, "") // refused by Go's server or by ours
	}
	for _, origin := range []string{"null", "", "http://evil.example", "https://" + s.host, "http://127.0.0.1",
		"http://127.0.0.1:1", "http://localhost:" + port, "http://" + s.host + ".evil.example", "http://" + s.host + "/",
		"http://evil.example:" + port, "file://", "chrome-extension://abc", "http://user@" + s.host,
		"http://" + s.host + " http://evil.example", "HTTP://" + s.host} {
		both(http.StatusForbidden, "origin "+origin, s.host, "Origin: "+origin+"\r\n")
	}
	both(http.StatusForbidden, "two origins", s.host, "Origin: http://"+s.host+"\r\nOrigin: http://evil.example\r\n")
	for _, site := range []string{"cross-site", "same-site", "nonsense", "CROSS-SITE"} {
		both(http.StatusForbidden, "site "+site, s.host, "Sec-Fetch-Site: "+site+"\r\n")
	}
	for _, q := range []string{"", "?", "?token", "?token=", "?token=" + s.token[1:], query + "x",
		"?token=x" + s.token, "?TOKEN=" + s.token, "?token=" + strings.ToLower(s.token), "?a=1&token=" + s.token,
		query + "&a=1",
		query + "&token=" + s.token, "?token=%00" + s.token, "?token=" + strings.Repeat("A", len(s.token)),
		"?" + s.token, "?token=*", "?token[]=" + s.token, "??token=" + s.token, "?token=" + s.token + "%20",
		";token=" + s.token} {
		status := http.StatusForbidden
		if q[:min(1, len(q))] == ";" {
			status = http.StatusNotFound
		}
		list = append(list, attack{status, "GET token " + q, get("/"+q, s.host, "")},
			attack{status, "POST token " + q, post("/call"+q, s.host, kind, "{}")})
	}
	for _, path := range []string{"/..", "/../", "//", "//call", "/call/", "/./call", "/../call", "/call/..",
		"/%63all", "/%2e%2e/etc/passwd", "/..%2fetc", "/%2e", "/index.html", "/favicon.ico", "/etc/passwd",
		"/call%00", "/call.json", "/CALL", "/\\", "/call%2f", "/..;/", "/static/../../etc/passwd", "/%252e%252e/",
		"/call;a=b", "/.git/config",
		"/debug/pprof/", "/metrics"} {
		list = append(list, attack{http.StatusNotFound, "GET " + path, get(path+query, s.host, "")},
			attack{http.StatusNotFound, "POST " + path, post(path+query, s.host, kind, "{}")})
	}
	for _, target := range []string{"http://" + s.host + "/", "http://" + s.host + "/call", "http://evil.example/",
		"*", "file:///etc/passwd", "call", s.host} {
		list = append(list, attack{0, "target " + target, get(target+query, s.host, "")},
			attack{0, "POST target " + target, post(target+query, s.host, kind, "{}")})
	}
	for _, method := range []string{"POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "FOO"} {
		list = append(list, attack{http.StatusMethodNotAllowed, method + " /",
			strings.Replace(get("/"+query, s.host, ""), "GET", method, 1)})
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "post", "FOO"} {
		list = append(list, attack{http.StatusMethodNotAllowed, method + " /call",
			strings.Replace(post("/call"+query, s.host, kind, "{}"), "POST", method, 1)})
	}
	for _, form := range []string{"", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=a", "text/html", "application/json5", "application/jsonp",
		"application/json, text/plain", "*/*", "json",
		"text/plain; application/json"} {
		list = append(list, attack{http.StatusUnsupportedMediaType, "type " + form,
			post("/call"+query, s.host, "Content-Type: "+form+"\r\n", "{}")})
	}
	list = append(list,
		attack{http.StatusUnsupportedMediaType, "gzip",
			post("/call"+query, s.host, kind+"Content-Encoding: gzip\r\n", "{}")},
		attack{http.StatusRequestEntityTooLarge, "large",
			post("/call"+query, s.host, kind, strings.Repeat(" ", maxCall+1))},
		attack{http.StatusRequestEntityTooLarge, "large by its header",
			fmt.Sprintf("POST /call%s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 1000000000000\r\n\r\n",
				query, s.host, kind)},
		attack{http.StatusRequestEntityTooLarge, "large in chunks",
			fmt.Sprintf("POST /call%s HTTP/1.1\r\nHost: %s\r\n%sTransfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n",
				query, s.host, kind, strings.Repeat("10000\r\n"+strings.Repeat(" ", 0x10000)+"\r\n", 17))},
		attack{0, "two lengths", fmt.Sprintf("POST /call%s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 2\r\n"+
			"Content-Length: 3\r\n\r\n{}", query, s.host, kind)},
		attack{0, "two hosts", get("/"+query, s.host, "Host: evil.example\r\n")},
		attack{0, "long header", get("/"+query, s.host, "A: "+strings.Repeat("a", 64<<10)+"\r\n")},
		attack{0, "long path", get("/"+strings.Repeat("a", 64<<10)+query, s.host, "")},
		attack{0, "no host", "GET /" + query + " HTTP/1.1\r\n\r\n"},
		attack{0, "HTTP/1.0 without host", "GET /" + query + " HTTP/1.0\r\n\r\n"},
		attack{0, "HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		attack{0, "HTTP/9.9", "GET /" + query + " HTTP/9.9\r\nHost: " + s.host + "\r\n\r\n"},
		attack{0, "no protocol", "GET /" + query + "\r\n\r\n"},
		attack{0, "TLS", "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00\r\n\r\n"},
		attack{0, "NUL", "GET /" + query + " HTTP/1.1\r\nHost: " + s.host + "\r\nA\x00: b\r\n\r\n"},
	)
	if len(list) < 200 {
		t.Errorf("%d hostile requests, want 200", len(list))
	}
	for _, a := range list {
		reply, text, err := s.raw(a.request)
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		if a.status != 0 && reply.StatusCode != a.status || reply.StatusCode < 400 {
			t.Errorf("%s: status %d, want %d", a.name, reply.StatusCode, a.status)
		}
		if len(text) > 200 || strings.Contains(text, "<p>") || strings.Contains(text, s.token) {
			t.Errorf("%s: says %.300q", a.name, text)
		}
		if a.status != 0 && reply.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: has no security headers", a.name)
		}
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d hostile requests were answered", n)
	}
	t.Logf("%d hostile requests", len(list))

	reply, text, err := s.raw(get("/"+query, s.host, "Sec-Fetch-Site: none\r\n"))
	if err != nil || reply.StatusCode != 200 || !strings.Contains(text, "<p>the page") {
		t.Fatalf("the page: %v %s %v", reply, text, err)
	}
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "frame-ancestors 'none'", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := reply.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, request := range map[string]string{
		"from localhost": post("/call"+query, "localhost:"+port, kind+"Origin: http://localhost:"+port+"\r\n", "{}"),
		"by a program":   post("/call"+query, s.host, "Content-Type: application/json; charset=utf-8\r\n", "{}"),
	} {
		if reply, text, err := s.raw(request); err != nil || reply.StatusCode != 200 || text != "{}" {
			t.Errorf("a call %s: %v %s %v", name, reply, text, err)
		}
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// TestServerManyClients: ten clients at once get their own answers, few calls run at a time, and those beyond the
// queue are told to come back.
func TestServerManyClients(t *testing.T) {
	var running, most atomic.Int32
	release := make(chan struct{})
	s := serve(t, func(_ context.Context, request []byte) []byte {
		defer running.Add(-1)
		for n, m := running.Add(1), most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if bytes.HasPrefix(request, []byte(`"wait`)) {
			<-release
		}
		return request
	})
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			for j := range 20 {
				want := fmt.Sprintf(`"client %d call %d"`, i, j)
				if status, got, err := s.call(t.Context(), want); status != 200 || got != want || err != nil {
					t.Errorf("%s: %d %s %v", want, status, got, err)
				}
			}
		})
	}
	group.Wait()
	var answered, refused atomic.Int32
	for i := range maxWaiting + 10 {
		group.Go(func() {
			switch status, _, err := s.call(t.Context(), fmt.Sprintf(`"wait %d"`, i)); {
			case status == 200:
				answered.Add(1)
			case status == http.StatusServiceUnavailable:
				if refused.Add(1) == 10 {
					close(release)
				}
			default:
				t.Error(status, err)
			}
		})
	}
	group.Wait()
	if answered.Load() != maxWaiting || refused.Load() != 10 || most.Load() > maxRunning {
		t.Errorf("%d answered, %d refused, %d at a time", answered.Load(), refused.Load(), most.Load())
	}
}

// TestServerEnds: a call ends with its client, and all end with the server, without a goroutine left.
func TestServerEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	started, ended := make(chan struct{}), make(chan time.Time)
	s := serve(t, func(ctx context.Context, _ []byte) []byte {
		started <- struct{}{}
		<-ctx.Done()
		ended <- time.Now()
		return nil
	})
	within := func(what string, since time.Time) {
		t.Helper()
		t.Logf("%s: the call ended %s later", what, (<-ended).Sub(since)) // usually under 1 ms
	}
	ctx, abort := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, _, err := s.call(ctx, "{}")
		gone <- err
	}()
	<-started
	since := time.Now()
	abort()
	within("client gone", since)
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	slow, err := net.Dial("tcp", s.host) // sends half a request
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprintf(slow, "POST /call?token=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: 10\r\n\r\n{", s.token, s.host)
	go func() {
		_, _, err := s.call(t.Context(), "{}")
		gone <- err
	}()
	<-started
	since = time.Now()
	done := make(chan error, 1)
	go func() { done <- s.end() }()
	within("server ends", since)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returns %v", err)
	}
	<-gone
	if _, err := net.Dial("tcp", s.host); err == nil {
		t.Error("the port is still open")
	}
	slow.Close()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buffer := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before,
				buffer[:runtime.Stack(buffer, true)])
		}
	}
}
