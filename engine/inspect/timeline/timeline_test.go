package timeline_test

import (
	"os"
	"time"

	"github.com/oneloop/oneloop/engine/inspect/timeline"
)

func Example() {
	at := time.Unix(0, 0)
	var t timeline.Timeline
	t.Add(timeline.Span{Name: "second", Category: "stage", Lane: 1, Began: at.Add(3 * time.Microsecond), Took: 500 * time.Nanosecond})
	t.Add(timeline.Span{Name: "first", Category: "stage", Lane: 2, Began: at, Took: time.Microsecond, Args: map[string]string{"bytes": "12"}})
	if _, err := t.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"displayTimeUnit":"ns","traceEvents":[{"name":"second","cat":"stage","ph":"X","ts":3,"dur":0.5,"pid":1,"tid":1},{"name":"first","cat":"stage","ph":"X","ts":0,"dur":1,"pid":1,"tid":2,"args":{"bytes":"12"}}]}
}
