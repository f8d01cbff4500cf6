//go:build page

package page_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser is a headless Chromium that is driven over a pipe: JSON messages that end with a NUL, to its file
// descriptor 3 and from its file descriptor 4.
type browser struct {
	process *exec.Cmd
	input   *os.File

	mu     sync.Mutex
	serial int
	calls  map[int]chan message
	tabs   map[string]*tab // by session, those of workers included
	gone   error           // of the pipe
}

// message is one message of the pipe, in either direction.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// startBrowser starts Chromium for a test, or skips the test where there is none.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	program := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); program == "" && err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: install Debian's package chromium, or name the program in CHROMIUM")
	}
	home, err := os.MkdirTemp("", "revopt-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	toChild, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output, fromChild, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + home, "--no-first-run",
		"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars",
		"--disable-renderer-backgrounding", "--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows", "--enable-precise-memory-info", "--js-flags=--expose-gc",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank"}
	b := &browser{process: exec.Command(program, args...), input: input,
		calls: map[int]chan message{}, tabs: map[string]*tab{}}
	b.process.ExtraFiles = []*os.File{toChild, fromChild}
	b.process.Env = append(os.Environ(), "HOME="+home, "DBUS_SESSION_BUS_ADDRESS=disabled:")
	if err := b.process.Start(); err != nil {
		t.Fatal(err)
	}
	toChild.Close()
	fromChild.Close()
	go b.listen(output)
	t.Cleanup(func() {
		b.call("", "Browser.close", nil)
		done := make(chan error, 1)
		go func() { done <- b.process.Wait() }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			b.process.Process.Kill()
			<-done
		}
		input.Close()
		output.Close()
		// Helpers of Chromium may still write to it for a moment.
		for range 20 {
			if os.RemoveAll(home) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	return b
}

// listen gives replies to their calls and events to their tabs.
func (b *browser) listen(output *os.File) {
	r := bufio.NewReaderSize(output, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		b.mu.Lock()
		if err != nil {
			b.gone = fmt.Errorf("the pipe to Chromium ended: %w", err)
			for _, done := range b.calls {
				close(done)
			}
			b.calls = nil
			b.mu.Unlock()
			return
		}
		var m message
		if err := json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m); err != nil {
			panic(err)
		}
		done, tab := b.calls[m.ID], b.tabs[m.Session]
		delete(b.calls, m.ID)
		b.mu.Unlock()
		switch {
		case m.ID != 0 && done != nil:
			done <- m
		case m.ID == 0 && tab != nil:
			tab.event(m)
		}
	}
}

// send sends a command; its reply comes on the channel.
func (b *browser) send(session, method string, params any) (<-chan message, error) {
	if params == nil {
		params = struct{}{}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone != nil {
		return nil, b.gone
	}
	b.serial++
	done := make(chan message, 1)
	b.calls[b.serial] = done
	line, err := json.Marshal(message{ID: b.serial, Session: session, Method: method, Params: raw})
	if err == nil {
		_, err = b.input.Write(append(line, 0))
	}
	return done, err
}

// patience is the time that a command, or a condition on a page, has.
const patience = 10 * time.Minute

// call sends a command and waits for its reply.
func (b *browser) call(session, method string, params any) (json.RawMessage, error) {
	done, err := b.send(session, method, params)
	if err != nil {
		return nil, err
	}
	select {
	case m, ok := <-done:
		switch {
		case !ok:
			return nil, b.gone
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	case <-time.After(patience):
		return nil, fmt.Errorf("%s: no reply in %s", method, patience)
	}
}

// tab is a page of the browser. It lets no request leave that is not for a file, for data inside the page
// or for the server at its own address.
type tab struct {
	testing.TB
	*browser
	session, target string
	own             string // prefix of the addresses that it may ask for

	mu       sync.Mutex
	said     []string // console messages, exceptions and what the browser complains about
	refused  []string // addresses that were asked for and are not allowed
	requests []string // all addresses but those of data
	loads    int
}

// object is the parameters of a command.
type object map[string]any

// open opens an address in a new tab and waits until it has loaded.
func (b *browser) open(t testing.TB, address string) *tab {
	t.Helper()
	p := b.blank(t)
	p.navigate(address)
	return p
}

// blank opens an empty tab.
func (b *browser) blank(t testing.TB) *tab {
	t.Helper()
	p := &tab{TB: t, browser: b, own: "file:"}
	var made struct{ TargetID, SessionID string }
	p.into(&made, "", "Target.createTarget", object{"url": "about:blank"})
	p.target = made.TargetID
	p.into(&made, "", "Target.attachToTarget", object{"targetId": p.target, "flatten": true})
	p.session = made.SessionID
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil)
	}
	p.do("Fetch.enable", object{"patterns": []object{{"urlPattern": "*"}}})
	p.do("Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	p.viewport(1400, 900)
	t.Cleanup(p.close)
	return p
}

func (p *tab) close() {
	p.call("", "Target.closeTarget", object{"targetId": p.target})
}

// do runs a command of the tab.
func (p *tab) do(method string, params any) json.RawMessage {
	p.Helper()
	reply, err := p.call(p.session, method, params)
	if err != nil {
		p.Fatal(err)
	}
	return reply
}

// into runs a command and decodes its reply.
func (p *tab) into(reply any, session, method string, params any) {
	p.Helper()
	raw, err := p.call(session, method, params)
	if err == nil {
		err = json.Unmarshal(raw, reply)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// navigate goes to an address and waits until it has loaded. The server at that address may be asked.
func (p *tab) navigate(address string) {
	p.Helper()
	if rest, ok := strings.CutPrefix(address, "http://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		p.own = "http://" + host + "/"
	}
	p.loading(address, func() { p.do("Page.navigate", object{"url": address}) })
}

// loading does something after which the page loads, and waits until it has.
func (p *tab) loading(what string, do func()) {
	p.Helper()
	p.mu.Lock()
	before := p.loads
	p.mu.Unlock()
	do()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		loads := p.loads
		p.mu.Unlock()
		if loads > before {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("%s does not load", what)
		}
	}
}

// event takes note of an event of the tab or of a worker of it.
func (p *tab) event(m message) {
	var e struct {
		Type string
		Args []struct {
			Value       any
			Description string
		}
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry     struct{ Level, Text, URL string }
		Request   struct{ URL string }
		RequestID string
		SessionID string
	}
	if err := json.Unmarshal(m.Params, &e); err != nil {
		return // some field has another type in an event that is of no interest
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Page.loadEventFired":
		p.loads++
	case "Runtime.consoleAPICalled":
		words := []string{"console." + e.Type}
		for _, a := range e.Args {
			words = append(words, fmt.Sprint(a.Value, " ", a.Description))
		}
		p.said = append(p.said, strings.Join(words, " "))
	case "Runtime.exceptionThrown":
		p.said = append(p.said, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		p.said = append(p.said, e.Entry.Level+": "+e.Entry.Text+" "+e.Entry.URL)
	case "Page.javascriptDialogOpening":
		p.said = append(p.said, "a dialog opens")
		p.send(m.Session, "Page.handleJavaScriptDialog", object{"accept": false})
	case "Fetch.requestPaused":
		if scheme, _, _ := strings.Cut(e.Request.URL, ":"); scheme == "data" || scheme == "blob" ||
			strings.HasPrefix(e.Request.URL, p.own) {
			p.send(m.Session, "Fetch.continueRequest", object{"requestId": e.RequestID})
			return
		}
		p.refused = append(p.refused, e.Request.URL)
		p.send(m.Session, "Fetch.failRequest", object{"requestId": e.RequestID, "errorReason": "AccessDenied"})
	case "Network.requestWillBeSent":
		if !strings.HasPrefix(e.Request.URL, "data:") {
			p.requests = append(p.requests, e.Request.URL)
		}
	case "Target.attachedToTarget": // a worker
		p.browser.mu.Lock()
		p.tabs[e.SessionID] = p
		p.browser.mu.Unlock()
		p.send(e.SessionID, "Runtime.enable", nil)
		p.send(e.SessionID, "Log.enable", nil)
		p.send(e.SessionID, "Network.enable", nil)
	}
}

// quiet fails the test if the page said anything or asked for an address that is not its own.
func (p *tab) quiet() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, words := range p.said {
		p.Errorf("the page says: %.400s", words)
	}
	for _, address := range p.refused {
		p.Errorf("the page asks for %.200s", address)
	}
	for _, address := range p.requests {
		if !strings.HasPrefix(address, p.own) && !strings.HasPrefix(address, "blob:") && address != "about:blank" {
			p.Errorf("the page asks for %.200s", address)
		}
	}
	p.said, p.refused, p.requests = nil, nil, nil
}

// evaluate runs an expression in the page, waits for it if it is a promise, and decodes its value into result, if
// that is not nil.
func (p *tab) evaluate(result any, expression string) {
	p.Helper()
	if err := p.try(result, expression); err != nil {
		p.Fatal(err)
	}
}

func (p *tab) try(result any, expression string) error {
	raw, err := p.call(p.session, "Runtime.evaluate", object{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if err != nil {
		return err
	}
	var reply struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return err
	}
	if e := reply.ExceptionDetails; e != nil {
		return fmt.Errorf("%.200s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result == nil {
		return nil
	}
	if reply.Result.Value == nil {
		return fmt.Errorf("%.200s: no value", expression)
	}
	return json.Unmarshal(reply.Result.Value, result)
}

// text returns the text of the first element that a selector finds.
func (p *tab) text(selector string) string {
	p.Helper()
	var s string
	p.evaluate(&s, fmt.Sprintf("document.querySelector(%q).textContent", selector))
	return s
}

// wait waits until a condition holds in the page.
func (p *tab) wait(condition string) {
	p.Helper()
	var holds bool
	p.evaluate(&holds, fmt.Sprintf(`(async () => {
		for (const end = performance.now() + %d; performance.now() < end;) {
			if (%s) return true;
			await new Promise(done => setTimeout(done, 5));
		}
		return false;
	})()`, patience.Milliseconds()/2, condition))
	if !holds {
		var state string
		p.try(&state, `JSON.stringify(document.documentElement.dataset) + ' ' +
			(document.querySelector('#status')?.textContent ?? '') + ' ' +
			(document.querySelector('#answer')?.textContent ?? '')`)
		p.Errorf("never: %.300s (page: %.500s)", condition, state)
		p.quiet()
		p.FailNow()
	}
}

// viewport sets the size of the window in pixels.
func (p *tab) viewport(width, height int) {
	p.Helper()
	p.do("Emulation.setDeviceMetricsOverride",
		object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
}

// prefer sets preferences of the user: prefers-color-scheme, prefers-reduced-motion, and the medium print if
// medium says so.
func (p *tab) prefer(medium, scheme, motion string) {
	p.Helper()
	p.do("Emulation.setEmulatedMedia", object{"media": medium, "features": []object{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}}})
}

// press presses and releases a key, such as Tab, ArrowRight, Enter or a space, with or without Shift.
func (p *tab) press(key string, shift bool) {
	p.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
		"ArrowRight": 39, "ArrowDown": 40, "Escape": 27}
	params := object{"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if key == " " {
		params["code"] = "Space"
	}
	if text := map[string]string{"Enter": "\r", " ": " "}[key]; text != "" {
		params["type"], params["text"] = "keyDown", text
	}
	if shift {
		params["modifiers"] = 8
	}
	p.do("Input.dispatchKeyEvent", params)
	params["type"] = "keyUp"
	delete(params, "text")
	p.do("Input.dispatchKeyEvent", params)
}

// click clicks into the middle of the first element that a selector finds.
func (p *tab) click(selector string) {
	p.Helper()
	var at struct{ X, Y float64 }
	p.evaluate(&at, fmt.Sprintf(`(() => {
		const element = document.querySelector(%q);
		element.scrollIntoView({block: 'center', behavior: 'instant'});
		const box = element.getBoundingClientRect();
		return {x: box.x + box.width / 2, y: box.y + box.height / 2};
	})()`, selector))
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent",
			object{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1})
	}
}

// shot writes a picture of the whole page, or of the window, into the directory that REVOPT_SHOTS names.
func (p *tab) shot(name string, whole bool) {
	p.Helper()
	dir := os.Getenv("REVOPT_SHOTS")
	if dir == "" {
		return
	}
	var picture struct{ Data string }
	p.into(&picture, p.session, "Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": whole})
	data, err := base64.StdEncoding.DecodeString(picture.Data)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o666)
	}
	if err != nil {
		p.Fatal(err)
	}
}
