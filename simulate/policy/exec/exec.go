package exec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"revopt/internal/child"
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Options say how programs that are policies run.
type Options struct {
	Timeout time.Duration // for a reply; 0 is a minute
	Barred  bool          // programs may not run, because only a file names them
	// Parent returns the output and the input of the parent of this process, for the command
	// "-". It does so once, and then returns nil. The field is nil where "-" is not allowed.
	Parent func() (io.Reader, io.Writer)
}

// Spec returns the policy that lets another program decide, in any language. It is not
// among Standard. For each run and pool the program is started once, when the first job
// arrives, and ends with the run. Messages and replies are lines of JSON, see docs/exec.md.
func Spec(o Options) policy.Spec {
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	command := policy.ReadOption("command", "", func(value string) (string, string) {
		if _, err := child.Split(value); err != nil {
			return "", err.Error()
		}
		if value == "-" && o.Parent == nil {
			return "", "a command: only revopt simulate --policy has exec:-"
		}
		return value, ""
	})
	command.Rest = true
	return policy.Spec{
		Name: "exec", Title: "", Summary: "a program of yours decides, by messages (exec:python3 my.py)",
		Options: append(append([]policy.Option{command}, policy.TermOptions()...),
			policy.Option{Name: "preempt", Values: []string{"suspend", "none"}}, policy.NumberOption("preempt-cost", "0")),
		Needs: policy.Needs{Alike: true}, Program: true, Inputs: inputs, Barred: o.Barred, Cost: 1e-4,
		More: func(name string) (policy.Option, bool) {
			ours := slices.Contains(execOptions(), name) || text.Misspelled(name, execOptions())
			return policy.ReadOption(name, "", policy.AnyText), !ours && optionName().MatchString(name)
		},
		Preempting: func(policy.Settings) bool { return false }, // only its runs show whether it does
		Make: func(s policy.Settings, c policy.Context) ([]simulate.Policy, simulate.Router, error) {
			var list []simulate.Policy
			for i := range c.Processors {
				list = append(list, newProgram(o, s, c, i))
			}
			return list, nil, nil
		},
	}
}

// execOptions are the options that the program does not learn. It has no longest_wait, as its queue is its own.
func execOptions() []string {
	return []string{"command", "estimates", "overrun", "preempt", "preempt-cost", policy.Charge,
		policy.LongestWait}
}

func optionName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][\w.-]*$`) }

// inputs returns the regular files that the settings of a program name: in words of its command
// and in values of options.
func inputs(given policy.Settings) (files []string) {
	words, _ := child.Split(given["command"])
	if len(words) > 0 && !strings.ContainsAny(words[0], `/\`) {
		words = words[1:] // found by PATH
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		words = append(words, given[name])
	}
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, file := range []string{word, value} {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// program is a policy that lets another program decide.
type program struct {
	policy.Terms
	options Options
	command string
	context policy.Context
	site    int
	more    policy.Settings // for the program
	preempt bool            // the program may suspend jobs
	cost    float64         // s of each suspension, see simulate.Cluster.Suspend

	mu     sync.Mutex // of the next two
	peer   *child.Peer
	closed bool

	asked   bool    // the program was started
	over    bool    // the run is to end
	number  int     // of the message
	now     float64 // of the message
	fields  []string
	wants   kind // after which a message is sent
	valued  bool // messages have values
	seen    kind // since the last message
	waiting map[int64]*simulate.Job
	running map[int64]*simulate.Job
	lists   [kinds][]byte // of events since the last message, as JSON without brackets
	values  []byte        // likewise
	message []byte
	wake    float64
	futile  futility
	busy    int // units that jobs have
	up      int // units that are up
}

// kind is a set of kinds of events.
type kind uint8

const (
	kindArrive = iota
	kindFinish
	kindStop
	kindLeave
	kindTick
	kindUnits
	kinds
)

func kindNames() []string { return []string{"arrive", "finish", "stop", "leave", "tick", "units"} }

func fieldNames() []string {
	return []string{"width", "estimate", "price", "decay", "deadline", "user", "group", "queue", "account",
		"class", "submit"}
}

func newProgram(o Options, s policy.Settings, f policy.Context, site int) *program {
	p := &program{
		Terms: s.Terms(), options: o, command: s["command"], context: f, site: site, more: maps.Clone(s),
		preempt: s["preempt"] != "none", waiting: map[int64]*simulate.Job{}, running: map[int64]*simulate.Job{},
		wake: math.Inf(1),
	}
	for _, o := range execOptions() {
		delete(p.more, o)
	}
	if s["preempt-cost"] != "" {
		p.cost = s.Number("preempt-cost")
	}
	return p
}

// String names the policy.
func (p *program) String() string { return "exec: " + text.OneLine(p.command) }

// Arrive implements simulate.Policy.
func (p *program) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, ok := p.Take(c, j); !ok || p.over {
		return
	}
	if !p.asked {
		p.asked, p.up = true, c.Processors()
		if err := p.start(c); err != nil {
			p.fail(c, err)
			return
		}
	}
	p.waiting[j.ID] = j
	p.futile = futility{}
	p.lists[kindArrive] = p.appendJob(p.begin(kindArrive), j)
}

// Finish implements simulate.Finisher.
func (p *program) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.busy -= j.Width
	p.futile = futility{}
	delete(p.running, j.ID)
	p.Charge(c, j)
	p.note(kindFinish, j.ID)
	p.worth(j.ID, j.Worth(c.Now()))
}

// Stop implements simulate.Stopper. A job that is to run again may be started again; another one leaves.
func (p *program) Stop(_ *simulate.Cluster, j *simulate.Job, again bool) {
	p.busy -= j.Width
	delete(p.running, j.ID)
	p.waiting[j.ID] = j
	p.note(kindStop, j.ID)
	if !again {
		p.note(kindLeave, j.ID)
		delete(p.waiting, j.ID)
	}
}

// Unlimited implements simulate.Unlimited: a program states several starts at once, by what was free before.
func (p *program) Unlimited() {}

// Leave implements simulate.Leaver: the job gives up, or goes to another pool.
func (p *program) Leave(c *simulate.Cluster, j *simulate.Job) {
	delete(p.waiting, j.ID)
	p.note(kindLeave, j.ID)
	if j.Gone(c.Now()) {
		p.worth(j.ID, j.Forsaken())
	}
}

// Schedule implements simulate.Policy.
func (p *program) Schedule(c *simulate.Cluster) {
	if !p.asked || p.over {
		return
	}
	if c.Now() >= p.wake {
		p.wake = math.Inf(1)
		p.seen |= 1 << kindTick
	}
	if up := c.Free() + p.busy; up != p.up {
		p.up = up
		p.lists[kindUnits] = strconv.AppendInt(p.lists[kindUnits][:0], int64(up), 10)
		p.seen |= 1 << kindUnits
	}
	if p.seen&p.wants != 0 {
		if err := p.decide(c); err != nil {
			p.fail(c, err)
		}
	}
}

// begin returns the list of a kind of events for the next event.
func (p *program) begin(k int) []byte {
	p.seen |= 1 << k
	return comma(p.lists[k])
}

func comma(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}

func (p *program) note(k int, id int64) { p.lists[k] = strconv.AppendInt(p.begin(k), id, 10) }

// worth adds the value of a job that has ended.
func (p *program) worth(id int64, value float64) {
	if p.valued && !math.IsInf(value, 0) {
		p.values = append(strconv.AppendInt(append(comma(p.values), '"'), id, 10), `":`...)
		p.values = appendNumber(p.values, value)
	}
}

func appendNumber(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'g', -1, 64) }

// appendJob adds a job to JSON. The estimate is what every policy plans with. Amounts and times that depend on the run
// time are those of a job that runs for its estimate.
func (p *program) appendJob(b []byte, j *simulate.Job) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), j.ID, 10)
	estimate := p.RunTime(j)
	value := j.Stated(estimate)
	for _, name := range p.fields {
		x, number := math.NaN(), 0
		switch details := &j.Spec.Details; name {
		case "width":
			number = j.Width
		case "estimate":
			x = estimate
		case "price":
			x = value.Price
		case "decay":
			x = value.Decay
		case "deadline":
			if value.Dated {
				x = j.Submit + value.Due
			}
		case "user":
			number = details.User
		case "group":
			number = details.Group
		case "queue":
			number = details.Queue
		case "account":
			number = details.Account
		case "submit":
			x = j.Submit
		case "class":
			customer, _ := json.Marshal(p.context.Customers[j.Class])
			b = append(append(b, `,"class":`...), customer...)
		}
		if number != 0 { // 0 is unknown
			x = float64(number)
		}
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			b = appendNumber(append(append(append(b, `,"`...), name...), `":`...), x)
		}
	}
	return append(b, '}')
}

// hello is the reply to the first message.
type hello struct {
	Hello   int      `json:"hello"`
	Fields  []string `json:"fields"`
	Wants   []string `json:"wants"`
	Options []string `json:"options"` // that the program has; nil: any
	Wake    *float64 `json:"wake"`
}

// start runs the program and greets it.
func (p *program) start(c *simulate.Cluster) error {
	p.now = c.Now()
	if err := p.connect(); err != nil {
		return err
	}
	p.greet(c)
	var given hello
	if err := p.ask(&given); err != nil {
		return err
	}
	switch given.Hello {
	case 2:
	case 1:
		return errors.New("version 1 of the protocol was removed in 0.6: expected version 2, see docs/exec.md")
	default:
		return fmt.Errorf("expected version 2, got %d", given.Hello)
	}
	for _, name := range slices.Sorted(maps.Keys(p.more)) {
		if given.Options != nil && !slices.Contains(given.Options, name) {
			return fmt.Errorf("the program has no option %q%s", name,
				cmp.Or(text.DidYouMean(name, slices.Concat(given.Options, execOptions())),
					", but "+cmp.Or(text.OneLine(strings.Join(text.Few(given.Options), ", ")), "none")))
		}
	}
	if err := p.choose(given); err != nil {
		return err
	}
	return p.wakeAt(c, given.Wake)
}

// greet writes the first message.
func (p *program) greet(c *simulate.Cluster) {
	options, _ := json.Marshal(p.more) // of strings: there is no error
	p.message = fmt.Appendf(p.message[:0], `{"hello":2,"units":%d,"seed":%d,"replication":%d,"options":%s,"now":`,
		c.Processors(), p.context.Seed, p.context.Replication, options)
	p.message = appendNumber(p.message, p.now)
	p.message = fmt.Appendf(p.message, `,"preempt":%t`, p.preempt)
	if p.preempt && p.cost > 0 {
		p.message = appendNumber(append(p.message, `,"preempt_cost":`...), p.cost)
	}
	if pool := p.context.Pools[p.site]; pool != "" {
		name, _ := json.Marshal(pool)
		all, _ := json.Marshal(p.context.Pools)
		p.message = fmt.Appendf(p.message, `,"pool":%s,"pools":%s`, name, all)
	}
}

// choose reads which fields of jobs and which kinds of events the program wants.
func (p *program) choose(given hello) error {
	if given.Fields == nil {
		given.Fields = fieldNames()[:6]
	}
	if given.Wants == nil {
		given.Wants = kindNames()
	}
	for i, name := range given.Fields {
		switch {
		case !slices.Contains(fieldNames(), name):
			return fmt.Errorf("unknown field %s, expected one of %s",
				text.Quote([]byte(name)), strings.Join(fieldNames(), ", "))
		case slices.Contains(given.Fields[:i], name):
			return fmt.Errorf("field %q is twice in fields", name)
		}
	}
	p.fields = given.Fields
	for n, name := range given.Wants {
		i := slices.Index(kindNames(), name)
		switch {
		case slices.Contains(given.Wants[:n], name):
			return fmt.Errorf("kind of event %s is twice in wants", text.Quote([]byte(name)))
		case name == "value":
			p.valued = true
		case i < 0:
			return fmt.Errorf("unknown kind of event %s in wants, expected value or one of %s",
				text.Quote([]byte(name)), strings.Join(kindNames(), ", "))
		default:
			p.wants |= 1 << i
		}
	}
	return nil
}

func (p *program) connect() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return child.ErrClosed
	}
	if p.command != "-" {
		words, _ := child.Split(p.command) // a valid option
		p.peer, err = child.Start(words, p.options.Timeout)
		return err
	}
	if p.options.Parent != nil {
		if out, in := p.options.Parent(); out != nil {
			p.peer = child.Connect(out, in, p.options.Timeout)
			return nil
		}
	}
	return errors.New("standard input and output serve one run of revopt simulate only")
}

// ask completes the message and reads its reply.
func (p *program) ask(reply any) error {
	p.message = append(p.message, "}\n"...)
	line, err := p.peer.Ask(p.message)
	if err != nil {
		return err
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return fmt.Errorf("expected a JSON object, got %s", text.Quote(line))
	}
	err = json.Unmarshal(line, reply)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		name, _, _ := strings.Cut(wrong.Field, ".")
		return fmt.Errorf("%q: %s, got %.40s", name, expectedOf(name), wrong.Value)
	} else if err != nil {
		return fmt.Errorf("the reply is not as expected: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// expectedOf describes the value of a field of replies.
func expectedOf(field string) string {
	return "expected " + map[string]string{
		"hello": "the number 2", "options": `a list of names, as ["k"]`, "suspend": "a list of ids, as [12]",
		"fields": `a list of names, as ["width"]`, "wants": `a list of names, as ["arrive"]`,
		"start": "a list of ids, as [17]", "reject": `a list, as [{"id":15,"why":"price"}]`,
		"wake": "a time in s, as 180",
	}[field]
}

// fail ends the run with an error that names the message.
func (p *program) fail(c *simulate.Cluster, err error) {
	message := "hello"
	if p.number > 0 {
		message = fmt.Sprintf("message %d", p.number)
	}
	p.over = true
	if p.peer != nil {
		p.peer.Kill()
	}
	c.Fail(fmt.Errorf("%s at %.15g s: %w", message, p.now, err))
}

// acts is the reply to a message.
type acts struct {
	Suspend []*int64 `json:"suspend"`
	Start   []*int64 `json:"start"`
	Reject  []refuse `json:"reject"`
	Wake    *float64 `json:"wake"`
}

// refuse rejects a job.
type refuse struct {
	ID  *int64 `json:"id"`
	Why string `json:"why"`
}

// compose makes the message of what has happened since the last one.
func (p *program) compose(c *simulate.Cluster) {
	p.now = c.Now()
	p.message = appendNumber(append(p.message[:0], `{"now":`...), p.now)
	p.message = strconv.AppendInt(append(p.message, `,"free":`...), int64(c.Free()), 10)
	for k, name := range kindNames() {
		if list := p.lists[k]; k == kindUnits && len(list) > 0 {
			p.message = append(append(p.message, `,"units":`...), list...)
		} else if len(list) > 0 {
			p.message = append(append(append(p.message, `,"`...), name...), `":[`...)
			p.message = append(append(p.message, list...), ']')
		}
		p.lists[k] = p.lists[k][:0]
	}
	if len(p.values) > 0 {
		p.message = append(append(append(p.message, `,"value":{`...), p.values...), '}')
	}
	p.values, p.seen = p.values[:0], 0
}

// decide sends a message and does what the reply says.
func (p *program) decide(c *simulate.Cluster) error {
	p.number++
	p.compose(c)
	var reply acts
	if err := p.ask(&reply); err != nil {
		return err
	}
	stopped, err := p.suspend(c, reply.Suspend)
	if err != nil {
		return err
	}
	for _, started := range reply.Start {
		if started == nil {
			return errors.New("start of null, " + expectedOf("start"))
		}
		id := *started
		j := p.waiting[id]
		switch {
		case j == nil && slices.ContainsFunc(reply.Suspend, func(x *int64) bool { return *x == id }):
			return fmt.Errorf("start of job %d, which the same reply suspends", id)
		case j == nil:
			return fmt.Errorf("start of job %d, which does not wait", id)
		case j.Width > c.Free():
			return fmt.Errorf("start of job %d, which needs %s, %d are free", id, text.Plural(j.Width, "unit"),
				max(c.Free(), 0))
		}
		delete(p.waiting, id)
		p.running[id] = j
		p.busy += j.Width
		c.Start(j)
	}
	for _, r := range reply.Reject {
		if r.ID == nil {
			return errors.New("rejection of a job without an id")
		}
		j := p.waiting[*r.ID]
		if j == nil || j.Suspended() {
			return fmt.Errorf("rejection of job %d, which does not wait or has run", *r.ID)
		}
		c.Reject(j, reason(r.Why))
		delete(p.waiting, *r.ID)
	}
	for _, j := range stopped {
		p.waiting[j.ID] = j
	}
	return p.wakeAt(c, reply.Wake)
}

// reason returns the reason of a rejection by its word.
func reason(word string) simulate.Reason {
	switch word {
	case "price", "budget":
		return simulate.Budget
	case "deadline":
		return simulate.Deadline
	case "lapsed":
		return simulate.Lapsed
	}
	return simulate.Refused
}

// wakeAt asks for a message at a time, nil: at none.
func (p *program) wakeAt(c *simulate.Cluster, at *float64) error {
	switch {
	case at == nil:
		return nil
	case !(*at > c.Now()):
		return fmt.Errorf("wake at %.15g s, which is not after now", *at)
	case p.wants&(1<<kindTick) == 0:
		return errors.New("wake without tick among wants")
	}
	p.wake = *at
	c.WakeAt(*at)
	return nil
}

// Close implements io.Closer: it says goodbye, or ends a program that has not replied.
func (p *program) Close() error {
	p.mu.Lock()
	peer, first := p.peer, !p.closed
	p.closed = true
	p.mu.Unlock()
	if peer == nil {
		return nil
	}
	err := peer.Close([]byte("{\"bye\":1}\n"), min(p.options.Timeout, 10*time.Second))
	if err == nil || !first {
		return nil
	}
	return simulate.Blame(p, fmt.Errorf("bye: %w", err))
}
