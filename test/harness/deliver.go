package harness

import (
	"net/http"
	"strconv"
	"strings"
)

// delivery is an HTTP answer ready to be sent.
type delivery struct {
	status int
	// chunks are flushed one by one, so a reader never sees half a frame.
	chunks [][]byte
	// stream says that the chunks are the frames of an event stream.
	stream bool
	drop   bool
}

// deliver writes a reply down in the dialect of its request.
func deliver(r reply, spoken dialect) delivery {
	d := delivery{status: http.StatusOK, stream: r.request.Stream, drop: r.answer.manner.drop}
	exact := r.answer.exact
	switch {
	case exact != nil:
		d.status = exact.status
		d.stream = d.stream && exact.status == http.StatusOK // errors are never streamed
		if d.stream {
			for _, frame := range strings.SplitAfter(exact.body, "\n\n") {
				d.chunks = append(d.chunks, []byte(frame))
			}
			return d
		}
		d.chunks = [][]byte{[]byte(exact.body)}
	case d.stream:
		d.chunks = spoken.frames(r)
	default:
		d.chunks = [][]byte{spoken.body(r)}
	}
	return d
}

// send writes the answer, or the first half of it if it is to be dropped.
func (d delivery) send(w http.ResponseWriter) {
	contentType := "application/json"
	if d.stream {
		contentType = "text/event-stream; charset=utf-8"
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(d.chunks[0])))
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(d.status)

	flush := http.NewResponseController(w).Flush
	for i, chunk := range d.chunks {
		if d.drop && i == len(d.chunks)/2 {
			chunk = chunk[:len(chunk)/2]
		}
		if _, err := w.Write(chunk); err != nil {
			return // the client has gone, which is its right
		}
		if err := flush(); err != nil {
			return
		}
		if d.drop && i == len(d.chunks)/2 {
			panic(http.ErrAbortHandler) // net/http's way to break a connection
		}
	}
}
