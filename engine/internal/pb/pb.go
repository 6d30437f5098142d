// Package pb reads and writes Go structs as protocol buffers, in the binary and
// in the text format. The tags of the fields are the schema:
//
//	type shape struct {
//		Dims []int64 `pb:"1,dim,packed"` // number, name in text, packed when written
//	}
//
// A field is an int32, a uint32, an int64, a bool, a float32, a float64 or a string, which
// may hold any bytes; a pointer to one of these or to a struct, which is nil if
// the field is absent; or a slice of scalars or of pointers to structs. A scalar
// without a pointer is absent if it is zero. Fields are written in the order of
// the struct. The binary reader skips fields that the struct does not have.
package pb

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/expr/tree"
	"google.golang.org/protobuf/encoding/protowire"
)

// The limits of what is read and written. Protocol buffers have the same limit of depth. An
// empty message has two bytes in a file and some hundred in memory, so the
// number of messages has a limit too.
const (
	maxDepth    = 100
	maxMessages = 1 << 17
)

// A field is one field of a message.
type field struct {
	num    protowire.Number
	name   string
	packed bool
	index  int // in the struct
}

// A message is the schema of one struct.
type message struct {
	fields []field
	byNum  map[protowire.Number]*field
	byName map[string]*field
}

var messages sync.Map // reflect.Type of a struct to *message

// messageOf returns the schema of a struct. It panics if a tag is wrong.
func messageOf(t reflect.Type) *message {
	if m, ok := messages.Load(t); ok {
		return m.(*message)
	}
	m := &message{byNum: map[protowire.Number]*field{}, byName: map[string]*field{}}
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("pb")
		if !ok {
			continue
		}
		parts := strings.Split(tag, ",")
		num, err := strconv.Atoi(parts[0])
		if err != nil || len(parts) < 2 {
			panic("pb: the tag of " + t.Name() + "." + t.Field(i).Name + " is wrong")
		}
		m.fields = append(m.fields, field{
			num: protowire.Number(num), name: parts[1], index: i,
			packed: len(parts) > 2 && parts[2] == "packed",
		})
	}
	for i := range m.fields {
		f := &m.fields[i]
		m.byNum[f.num], m.byName[f.name] = f, f
	}
	got, _ := messages.LoadOrStore(t, m)
	return got.(*message)
}

// structOf returns the struct that x points to.
func structOf(x any) reflect.Value { return pointed(reflect.ValueOf(x)) }

// pointed returns what v points to, a zero value for nil, or v itself.
func pointed(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return reflect.Zero(v.Type().Elem())
	}
	return reflect.Indirect(v)
}

// A budget counts the messages that may still be read or written.
type budget struct{ messages, depth int }

func newBudget() *budget { return &budget{messages: maxMessages, depth: maxDepth} }

// enter returns an error if a message more is too many or too deep.
func (b *budget) enter() error {
	b.messages--
	b.depth--
	switch {
	case b.messages < 0:
		return tree.NewError(tree.ErrValue, "", "more than %d messages", maxMessages)
	case b.depth < 0:
		return tree.NewError(tree.ErrValue, "", "messages nested more than %d deep", maxDepth)
	}
	return nil
}

func (b *budget) leave() { b.depth++ }

// check returns an error unless a reader takes the message v. One that contains itself is too deep.
func (b *budget) check(v reflect.Value) error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	for _, f := range messageOf(v.Type()).fields {
		x := v.Field(f.index)
		if x.Kind() == reflect.Pointer && x.IsNil() {
			continue
		}
		if x.Kind() != reflect.Slice {
			if err := b.checkPart(x); err != nil {
				return err
			}
			continue
		}
		for i := range x.Len() {
			if err := b.checkPart(x.Index(i)); err != nil { // nil is written too, as an empty message
				return err
			}
		}
	}
	return nil
}

// checkPart checks what v points to, if that is a message.
func (b *budget) checkPart(v reflect.Value) error {
	if v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	return b.check(pointed(v))
}

// slot returns the place for the next value of field v: v itself, what v points
// to, or a new element of v. It allocates what v points to.
func slot(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Slice {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		v = v.Index(v.Len() - 1)
		v.SetZero()
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// element returns the type of one value of a field.
func element(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
