package page

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server serves one page to the browsers of this machine, and answers the calls of the page. Its address
// holds a token that other programs and pages do not know. It refuses requests for another host, from
// another origin, without the token, or of more than MaxCall bytes.
type Server struct {
	Page []byte // has its own Content-Security-Policy

	// Call answers a request of the page in JSON. It ends soon after its context.
	Call func(ctx context.Context, request []byte) []byte

	listener net.Listener
	token    string
	slots    chan struct{} // full while as many calls run as may
	patient  chan struct{} // full while as many calls run in the background as may
	waiting  chan struct{} // full while as many calls wait or run as may
	busy     sync.RWMutex  // held for reading while a request is answered
}

const (
	// maxCall is the largest size of a request in bytes.
	maxCall = 1 << 20

	maxRunning = 4                // calls at a time, each on all processors
	maxPatient = 2                // of them, those in the background
	maxWaiting = 64               // calls that run or wait
	slow       = 10 * time.Second // a client has this time to send a request, and to take the reply
)

// Listen makes the server listen on a port of 127.0.0.1; 0 is a free one. It returns the address of the page.
func (s *Server) Listen(port int) (address string, err error) {
	s.listener, err = net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "", err
	}
	s.token = rand.Text()
	s.slots, s.waiting = make(chan struct{}, maxRunning), make(chan struct{}, maxWaiting)
	s.patient = make(chan struct{}, maxPatient)
	return fmt.Sprintf("http://%s/?token=%s", s.listener.Addr(), s.token), nil
}

// Serve answers requests until ctx ends, and returns its error. No call runs on after that.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: slow,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(s.listener)
	cancel()
	server.Close()
	s.busy.Lock()
	defer s.busy.Unlock()
	if errors.Is(err, http.ErrServerClosed) {
		return ctx.Err()
	}
	return err
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.busy.RLock()
	defer s.busy.RUnlock()
	for name, value := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		w.Header().Set(name, value)
	}
	if status, text := s.refuse(r); status != 0 {
		w.Header().Set("Connection", "close")
		http.Error(w, text, status)
		return
	}
	s.respond(w, r)
}

// refuse returns the status and the text for a request that is not answered; 0 for others.
func (s *Server) refuse(r *http.Request) (status int, text string) {
	path, query, _ := strings.Cut(r.RequestURI, "?")
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	method := map[string]string{"/": http.MethodGet, "/call": http.MethodPost}[path]
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	origin := r.Header.Values("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != "127.0.0.1:"+port && r.Host != "localhost:"+port:
		return http.StatusForbidden, "this page is for the host 127.0.0.1 only"
	case len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+r.Host ||
		site != "" && site != "same-origin" && site != "none":
		return http.StatusForbidden, "other pages may not ask this server"
	case method == "":
		return http.StatusNotFound, "there is only the page and its calls"
	case r.Method != method:
		return http.StatusMethodNotAllowed, "expected the method " + method
	case subtle.ConstantTimeCompare([]byte(query), []byte("token="+s.token)) == 0:
		return http.StatusForbidden, "the token is missing or wrong: open the address that revopt serve printed"
	case method == http.MethodPost && (kind != "application/json" || r.Header.Get("Content-Encoding") != ""):
		return http.StatusUnsupportedMediaType, "expected the content type application/json"
	case r.ContentLength > maxCall:
		return http.StatusRequestEntityTooLarge, tooLarge
	}
	return 0, ""
}

const tooLarge = "expected a request of at most 1 MB"

// respond sends the page, or the answer to a call.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	deadline := http.NewResponseController(w)
	send := func(kind string, body []byte) {
		deadline.SetWriteDeadline(time.Now().Add(slow))
		w.Header().Set("Content-Type", kind)
		w.Write(body)
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
		send("text/html; charset=utf-8", s.Page)
		return
	}
	deadline.SetReadDeadline(time.Now().Add(slow))
	request, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		http.Error(w, tooLarge, http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "the request did not arrive in time", http.StatusRequestTimeout)
		return
	}
	deadline.SetReadDeadline(time.Time{}) // from now on a read says whether the client is still there
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many calls at once: try again", http.StatusServiceUnavailable)
		return
	}
	slots := []chan struct{}{s.slots}
	if r.Header.Get("Priority") == "u=6" { // RFC 9218: in the background
		slots = []chan struct{}{s.patient, s.slots}
	}
	for _, list := range slots {
		select {
		case list <- struct{}{}:
			defer func() { <-list }()
		case <-r.Context().Done():
			return
		}
	}
	send("application/json", s.Call(r.Context(), request))
}
