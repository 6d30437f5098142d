// Package sched runs loops on the goroutine of the caller and on helpers.
//
// A [Pool] has the helpers of a process. A [Job] belongs to one program: it hands
// out the chunks of one loop at a time. A [Loop] is a bound kernel with its
// workers, the sizes of its chunks, and its direction. Chunks, threads and
// direction never change a bit of the result.
package sched
