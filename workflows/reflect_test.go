package workflows

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"go.temporal.io/sdk/converter"

	"errand/workflows/actions"
)

// filler puts a value of its own into every field, unexported ones too. There
// is one call, one action and one approval, which name each other.
type filler struct {
	n      int
	shared map[reflect.Type]reflect.Value
}

func newFiller() *filler { return &filler{shared: map[reflect.Type]reflect.Value{}} }

func (f *filler) fill(target any) { f.value(reflect.ValueOf(target).Elem()) }

func (f *filler) call() *actions.Call {
	var c *actions.Call
	f.fill(&c)
	return c
}

func (f *filler) next() int { f.n++; return f.n }

func (f *filler) value(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // makes an unexported field settable
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, f.next(), time.UTC)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(fmt.Sprintf(`{"n":%d}`, f.next()))))
		return
	case *converter.RawValue: // a signal on its way, which no state carries
		return
	}
	switch v.Kind() { //nolint:exhaustive // functions, channels and interfaces stay empty
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", f.next()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.next()))
	case reflect.Float64:
		v.SetFloat(float64(f.next()))
	case reflect.Struct:
		for i := range v.NumField() {
			f.value(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.value(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.value(key)
		f.value(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		f.pointer(v)
	}
}

func (f *filler) pointer(v reflect.Value) {
	if known, is := f.shared[v.Type()]; is {
		v.Set(known)
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	switch v.Interface().(type) {
	case *actions.Call, *actions.Action, *actions.Approval:
		f.shared[v.Type()] = v
	}
	f.value(v.Elem())
}

// differ names the fields in which two values differ.
type differ struct {
	exceptions map[string]string
	faults     []string
	seen       map[[2]unsafe.Pointer]bool
}

func (d *differ) compare(path string, a, b any) {
	d.seen = map[[2]unsafe.Pointer]bool{}
	d.value(path, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func (d *differ) value(path string, a, b reflect.Value) {
	if d.exceptions[path] != "" {
		return
	}
	if t := reflect.TypeFor[time.Time](); a.Type() == t {
		if at, bt := timeOf(a), timeOf(b); !at.Equal(bt) {
			d.fault(path, at, bt)
		}
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			d.value(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Pointer:
		d.pointers(path, a, b)
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			d.fault(path, a, b)
			return
		}
		if a.Type().Elem().Kind() == reflect.Uint8 {
			if string(a.Bytes()) != string(b.Bytes()) {
				d.fault(path, a, b)
			}
			return
		}
		for i := range a.Len() {
			d.value(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
		}
	case reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			d.fault(path, a, b)
			return
		}
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() {
				d.fault(fmt.Sprintf("%s[%v]", path, k), a.MapIndex(k), nil)
				continue
			}
			d.value(fmt.Sprintf("%s[%v]", path, k), a.MapIndex(k), b.MapIndex(k))
		}
	case reflect.Func, reflect.Chan, reflect.Interface:
		d.fault(path, "a field of this kind", "not carried")
	default:
		if !a.Equal(b) {
			d.fault(path, a, b)
		}
	}
}

func (d *differ) pointers(path string, a, b reflect.Value) {
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			d.fault(path, a, b)
		}
		return
	}
	pair := [2]unsafe.Pointer{a.UnsafePointer(), b.UnsafePointer()}
	if !d.seen[pair] {
		d.seen[pair] = true
		d.value(path, a.Elem(), b.Elem())
	}
}

func (d *differ) fault(path string, a, b any) {
	d.faults = append(d.faults, fmt.Sprintf("%s: %v became %v", path, a, b))
}

// timeOf reads a time out of an unexported field.
func timeOf(v reflect.Value) time.Time {
	holder := reflect.New(v.Type()).Elem()
	holder.Set(reflect.Zero(v.Type()))
	for i := range v.NumField() {
		from, to := v.Field(i), holder.Field(i)
		to = reflect.NewAt(to.Type(), unsafe.Pointer(to.UnsafeAddr())).Elem()
		switch from.Kind() { //nolint:exhaustive // the fields of a time
		case reflect.Uint64:
			to.SetUint(from.Uint())
		case reflect.Int64:
			to.SetInt(from.Int())
		}
	}
	t, _ := holder.Interface().(time.Time)
	return t
}
