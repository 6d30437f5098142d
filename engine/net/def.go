package net

import (
	"github.com/oneloop/oneloop/engine/internal/pb"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A NetDef is Caffe2's message NetDef, with the numbers of its fields: a list of
// operators that read and write named blobs.
type NetDef struct {
	Name           string         `pb:"1,name"`
	Op             []*OperatorDef `pb:"2,op"`
	Type           string         `pb:"3,type"` // "simple", which is the default, or "dag"
	NumWorkers     *int32         `pb:"4,num_workers"`
	DeviceOption   *DeviceOption  `pb:"5,device_option"` // of operators without one
	Arg            []*Argument    `pb:"6,arg"`
	ExternalInput  []string       `pb:"7,external_input"`
	ExternalOutput []string       `pb:"8,external_output"`
}

// An OperatorDef is Caffe2's message OperatorDef.
type OperatorDef struct {
	Input        []string      `pb:"1,input"`
	Output       []string      `pb:"2,output"`
	Name         string        `pb:"3,name"`
	Type         string        `pb:"4,type"`
	Arg          []*Argument   `pb:"5,arg"`
	DeviceOption *DeviceOption `pb:"6,device_option"`
	Engine       string        `pb:"7,engine"` // engines with commas between them; the first that exists counts
	ControlInput []string      `pb:"8,control_input"`
	IsGradientOp *bool         `pb:"9,is_gradient_op"`
	DebugInfo    *string       `pb:"10,debug_info"`
}

// An Argument is Caffe2's message Argument: a name and a value of one type.
type Argument struct {
	Name    string    `pb:"1,name"`
	F       *float32  `pb:"2,f"`
	I       *int64    `pb:"3,i"`
	S       *string   `pb:"4,s"`
	Floats  []float32 `pb:"5,floats"`
	Ints    []int64   `pb:"6,ints"`
	Strings []string  `pb:"7,strings"`
	N       *NetDef   `pb:"8,n"`
	Nets    []*NetDef `pb:"9,nets"`
}

// A DeviceOption is Caffe2's message DeviceOption. Device types are 0, the CPU, and
// 1, CUDA.
type DeviceOption struct {
	DeviceType *int32   `pb:"1,device_type"`
	DeviceID   *int32   `pb:"2,device_id"`
	RandomSeed *uint32  `pb:"3,random_seed"`
	NodeName   *string  `pb:"4,node_name"`
	NumaNodeID *int32   `pb:"5,numa_node_id"`
	ExtraInfo  []string `pb:"6,extra_info"`
}

// MarshalBinary returns the net in protobuf's wire format. The error is
// [expr.ErrValue] for a net that UnmarshalBinary would not read, such as one that
// contains itself.
func (d *NetDef) MarshalBinary() ([]byte, error) { return pb.Marshal(d) }

// UnmarshalBinary reads a net in protobuf's wire format. It skips unknown fields.
// The error is [expr.ErrValue] and names the byte. There may be 1<<17 messages in a
// net, nested 100 deep.
func (d *NetDef) UnmarshalBinary(data []byte) error {
	d = zero.IfNil(d)
	*d = NetDef{}
	return pb.Unmarshal(data, d)
}

// MarshalText returns the net in protobuf's text format, or an error as
// MarshalBinary does.
func (d *NetDef) MarshalText() ([]byte, error) { return pb.MarshalText(d) }

// UnmarshalText reads a net in protobuf's text format. An unknown field is an error.
// The error is [expr.ErrValue] and names line and column.
func (d *NetDef) UnmarshalText(text []byte) error {
	d = zero.IfNil(d)
	*d = NetDef{}
	return pb.UnmarshalText(text, d)
}

// String returns the text format, or the error of MarshalText in parentheses.
func (d *NetDef) String() string { return textOf(d) }

// String returns the text format, or an error in parentheses.
func (d *OperatorDef) String() string { return textOf(d) }

func textOf(d any) string {
	text, err := pb.MarshalText(d)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(text)
}

// Op returns the definition of an operator. Inputs and outputs are names of blobs.
func Op(typ string, inputs, outputs []string, args ...*Argument) *OperatorDef {
	return &OperatorDef{Type: typ, Input: inputs, Output: outputs, Arg: args}
}

// Arg returns an argument with one value: an int, a float64 that is stored as a
// float32, a bool that is stored as an integer, a string, or a slice of ints,
// float64s or strings.
func Arg[V int | float64 | bool | string | []int | []float64 | []string](name string, v V) *Argument {
	a := &Argument{Name: name}
	switch v := any(v).(type) {
	case int:
		a.I = new(int64(v))
	case float64:
		a.F = new(float32(v))
	case bool:
		a.I = new(int64)
		if v {
			*a.I = 1
		}
	case string:
		a.S = &v
	case []int:
		a.Ints = lists.Map(v, func(x int) int64 { return int64(x) })
	case []float64:
		a.Floats = lists.Map(v, func(x float64) float32 { return float32(x) })
	case []string:
		a.Strings = v
	}
	return a
}
