package broker

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Names are the subjects, streams and inboxes of one search. All bear its id: a server may have several searches, and
// who may use the names of one may use none of another's.
type Names struct{ ID string }

var idPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// IsID reports whether a text may be the ID of a search: 16 hexadecimal digits.
func IsID(text string) bool { return idPattern.MatchString(text) }

// NamesBy are those of the search that has a secret. The secret does not follow from them.
func NamesBy(secret string) Names {
	sum := sha256.Sum256([]byte("darwarp search " + secret))
	return Names{hex.EncodeToString(sum[:8])}
}

// Subject is a subject of the search by its tail.
func (n Names) Subject(tail string) string { return "darwarp." + n.ID + "." + tail }

// The streams, and the object store Tasks, which has what the search is about, by hash. A stream has one subject for
// each kind of device, any.KIND, and another one for each worker, to.WORKER: whenever something is acknowledged the
// server asks all queues of its stream, and of workers there are a thousand. Answers are in no stream: the search
// acknowledges the work when it has one, and a worker repeats what the search has not heard.

func (n Names) Work() string  { return "DARWARP-" + n.ID }
func (n Names) Own() string   { return n.Work() + "-own" }
func (n Names) Tasks() string { return "darwarp-" + n.ID }

// The subjects of work, which are in the streams: for any worker with devices of a kind, for one worker, and for
// whoever compiles for a kind.

func (n Names) Queued(what string) string  { return n.Subject("work." + what) }
func (n Names) AnyOf(kind string) string   { return n.Queued("any." + kind) }
func (n Names) To(worker string) string    { return n.Queued("to." + worker) }
func (n Names) Compile(kind string) string { return n.Queued("compile." + kind) }

// All other subjects: what a worker tells and hears, what an owner asks, where a search stands in line at a server for
// several, and where replies to one user go.

func (n Names) Answer(worker string) string { return n.Subject("answer." + worker) }
func (n Names) Hello(worker string) string  { return n.Subject("hello." + worker) }
func (n Names) Stop(worker string) string   { return n.Subject("stop." + worker) }
func (n Names) End() string                 { return n.Subject("end") }
func (n Names) Status() string              { return n.Subject("status") }
func (n Names) Drain() string               { return n.Subject("drain") }
func (n Names) Queue(search string) string  { return n.Subject("queue." + search) }
func (n Names) Inbox(user string) string    { return n.Subject("in." + user) }

// Exceeded is where the server tells that a request of a stream was handed out as often as it may be.
func (n Names) Exceeded(stream string) string { return advisories + stream + ".*" }

const advisories = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES."

// IsAck reports whether a subject is one by which work of the search's own streams is acknowledged. Workers name it,
// and the search may publish anywhere.
func (n Names) IsAck(subject string) bool {
	return strings.HasPrefix(subject, "$JS.ACK.") && !strings.ContainsAny(subject, " \t\r\n*>") &&
		(strings.Contains(subject, "."+n.Work()+".") || strings.Contains(subject, "."+n.Own()+"."))
}

// WorkerMay is what a worker may publish: what it needs to take work and to answer. Streams and consumers are made by
// the search.
func (n Names) WorkerMay() []string {
	work, own, tasks := n.Work(), n.Own(), "OBJ_"+n.Tasks()
	return []string{
		n.Hello("*"), n.Answer("*"), n.Status(),
		"$JS.API.CONSUMER.INFO." + work + ".*", "$JS.API.CONSUMER.MSG.NEXT." + work + ".*",
		"$JS.API.CONSUMER.INFO." + own + ".*", "$JS.API.CONSUMER.MSG.NEXT." + own + ".*",
		"$JS.ACK." + work + ".>", "$JS.ACK." + own + ".>",
		"$JS.API.STREAM.INFO." + tasks, "$JS.API.STREAM.MSG.GET." + tasks, "$JS.API.DIRECT.GET." + tasks + ".>",
		"$JS.API.CONSUMER.CREATE." + tasks + ".>", "$JS.API.CONSUMER.DELETE." + tasks + ".>",
		"$JS.API.CONSUMER.INFO." + tasks + ".>", "$JS.FC.>",
	}
}

// OwnerMay is what whoever asks who is there, and drains, may publish.
func (n Names) OwnerMay() []string { return []string{n.Status(), n.Drain()} }

// WorkerHears is what a worker may listen to.
func (n Names) WorkerHears() []string {
	return []string{n.Inbox(UserWorker) + ".>", n.Stop("*"), n.End()}
}
