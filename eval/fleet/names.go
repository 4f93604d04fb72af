package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// names are the subjects, streams and inboxes of one search. All bear its id: a server may have several searches, and
// who may use the names of one may use none of another's.
type names struct{ id string }

var idRE = regexp.MustCompile(`^[0-9a-f]{16}$`)

// namesBy are those of the search that has a secret. The secret does not follow from them.
func namesBy(secret string) names {
	sum := sha256.Sum256([]byte("darwarp search " + secret))
	return names{hex.EncodeToString(sum[:8])}
}

func (n names) subject(tail string) string { return "darwarp." + n.id + "." + tail }

// A stream has one subject for each kind of device, any.KIND, and another one for each worker, to.WORKER: whenever
// something is acknowledged the server asks all queues of its stream, and of workers there are a thousand. Answers are
// in no stream: the search acknowledges the work when it has one, and a worker repeats what the search has not heard.
func (n names) work() string  { return "DARWARP-" + n.id }
func (n names) own() string   { return n.work() + "-own" }
func (n names) tasks() string { return "darwarp-" + n.id } // object store: what the search is about, by hash

func (n names) queued(what string) string   { return n.subject("work." + what) }
func (n names) anyOf(kind string) string    { return n.queued("any." + kind) }
func (n names) to(worker string) string     { return n.queued("to." + worker) }
func (n names) compile(kind string) string  { return n.queued("compile." + kind) }
func (n names) answer(worker string) string { return n.subject("answer." + worker) }
func (n names) hello(worker string) string  { return n.subject("hello." + worker) }
func (n names) stop(worker string) string   { return n.subject("stop." + worker) }
func (n names) end() string                 { return n.subject("end") }
func (n names) status() string              { return n.subject("status") }
func (n names) drain() string               { return n.subject("drain") }
func (n names) queue(search string) string  { return n.subject("queue." + search) } // of a server for several
func (n names) inbox(of string) string      { return n.subject("in." + of) }
func (n names) exceeded(of string) string   { return advisories + of + ".*" }

// isAck reports whether a subject is one by which work of the search's own streams is acknowledged. Workers name it,
// and the search may publish anywhere.
func (n names) isAck(subject string) bool {
	return strings.HasPrefix(subject, "$JS.ACK.") && !strings.ContainsAny(subject, " \t\r\n*>") &&
		(strings.Contains(subject, "."+n.work()+".") || strings.Contains(subject, "."+n.own()+"."))
}

// advisories tell that a request was handed out so often as it may be.
const advisories = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES."

// workerMay is what a worker may publish: what it needs to take work and to answer. Streams and consumers are made by
// the search.
func (n names) workerMay() []string {
	work, own, tasks := n.work(), n.own(), "OBJ_"+n.tasks()
	return []string{
		n.hello("*"), n.answer("*"), n.status(),
		"$JS.API.CONSUMER.INFO." + work + ".*", "$JS.API.CONSUMER.MSG.NEXT." + work + ".*",
		"$JS.API.CONSUMER.INFO." + own + ".*", "$JS.API.CONSUMER.MSG.NEXT." + own + ".*",
		"$JS.ACK." + work + ".>", "$JS.ACK." + own + ".>",
		"$JS.API.STREAM.INFO." + tasks, "$JS.API.STREAM.MSG.GET." + tasks, "$JS.API.DIRECT.GET." + tasks + ".>",
		"$JS.API.CONSUMER.CREATE." + tasks + ".>", "$JS.API.CONSUMER.DELETE." + tasks + ".>",
		"$JS.API.CONSUMER.INFO." + tasks + ".>", "$JS.FC.>",
	}
}

// ownerMay is what whoever asks who is there, and drains, may publish.
func (n names) ownerMay() []string { return []string{n.status(), n.drain()} }

// workerHears is what a worker may listen to.
func (n names) workerHears() []string {
	return []string{n.inbox(userWorker) + ".>", n.stop("*"), n.end()}
}
