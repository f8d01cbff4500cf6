package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Marshal returns the JSON of a value. It panics for functions and interfaces.
func Marshal(v any) []byte {
	e := encoder{known: types{}}
	e.write(reflect.ValueOf(v))
	return e.Bytes()
}

type encoder struct {
	bytes.Buffer
	known types
}

func (b *encoder) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int64:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint64:
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float64:
		words := strconv.FormatFloat(v.Float(), 'g', -1, 64)
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			words = `"` + words + `"`
		}
		b.WriteString(words)
	case reflect.String:
		b.writeString(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("null")
			return
		}
		b.write(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			b.WriteString("null")
			return
		}
		for i := range v.Len() {
			b.WriteByte("[,"[min(i, 1)])
			b.write(v.Index(i))
		}
		b.end('[', ']', v.Len())
	case reflect.Map:
		b.writeMap(v)
	case reflect.Struct:
		fields := b.known.fields(v.Type())
		for i, f := range fields {
			b.WriteByte("{,"[min(i, 1)])
			b.WriteString(`"` + f.Name + `":`)
			b.write(v.FieldByIndex(f.Index))
		}
		b.end('{', '}', len(fields))
	default:
		panic(fmt.Sprintf("exact: %s cannot be written", v.Type()))
	}
}

// end closes a list of members. The first member has opened it.
func (b *encoder) end(open, shut byte, members int) {
	if members == 0 {
		b.WriteByte(open)
	}
	b.WriteByte(shut)
}

// writeMap writes a map from strings to strings, in the order of its keys.
func (b *encoder) writeMap(v reflect.Value) {
	if v.IsNil() {
		b.WriteString("null")
		return
	}
	m := v.Convert(reflect.TypeFor[map[string]string]()).Interface().(map[string]string)
	for i, key := range slices.Sorted(maps.Keys(m)) {
		b.WriteByte("{,"[min(i, 1)])
		b.writeString(key)
		b.WriteByte(':')
		b.writeString(m[key])
	}
	b.end('{', '}', len(m))
}

func (b *encoder) writeString(s string) {
	enc := json.NewEncoder(&b.Buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("exact: " + err.Error()) // impossible for a string
	}
	b.Truncate(b.Len() - 1) // the line feed
}

// types are the fields of structs that are written.
type types map[reflect.Type][]reflect.StructField

func (known types) fields(t reflect.Type) []reflect.StructField {
	if list, ok := known[t]; ok {
		return list
	}
	var list []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Tag.Get("save") != "-" {
			list = append(list, f)
		}
	}
	known[t] = list
	return list
}

// Unmarshal reads a text of Marshal into the variable that v points to. Every other text is an error, as is
// a missing or unknown field.
func Unmarshal(text []byte, v any) error {
	into := reflect.ValueOf(v).Elem()
	if err := (types{}).read(into, text); err != nil {
		return err
	}
	if !bytes.Equal(Marshal(into.Interface()), text) {
		return errors.New("it is not in the form in which it is written")
	}
	return nil
}

// FieldError is the error for a text whose fields differ from those of the struct.
type FieldError struct {
	Struct, Field string
	Unknown       bool // the struct has no such field; else the text has none
}

func (e *FieldError) Error() string {
	if e.Unknown {
		return fmt.Sprintf("%s has an unknown field %s", e.Struct, strconv.Quote(e.Field))
	}
	return fmt.Sprintf("%s has no field %s", e.Struct, e.Field)
}

// read reads a text into a value. It follows the types of Go values, so that a text is
// never nested deeper than they are.
func (known types) read(v reflect.Value, text []byte) error {
	var err error
	null := string(text) == "null"
	switch kind := v.Kind(); {
	case null && (kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map):
		v.SetZero()
		return nil
	case null:
		err = errors.New("null")
	case kind == reflect.Float64:
		words := string(text)
		if slices.Contains([]string{`"NaN"`, `"+Inf"`, `"-Inf"`}, words) {
			words = strings.Trim(words, `"`)
		}
		var x float64
		x, err = strconv.ParseFloat(words, 64)
		v.SetFloat(x)
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return known.read(v.Elem(), text)
	case kind == reflect.Slice || kind == reflect.Array:
		var list []json.RawMessage
		err = json.Unmarshal(text, &list)
		if err != nil || kind == reflect.Array && len(list) != v.Len() {
			break
		}
		if kind == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		}
		for i, item := range list {
			if err := known.read(v.Index(i), item); err != nil {
				return err
			}
		}
		return nil
	case kind == reflect.Struct:
		var members map[string]json.RawMessage
		err = json.Unmarshal(text, &members)
		if err != nil {
			break
		}
		for _, f := range known.fields(v.Type()) {
			member, ok := members[f.Name]
			if !ok {
				return &FieldError{Struct: v.Type().Name(), Field: f.Name}
			}
			if err := known.read(v.FieldByIndex(f.Index), member); err != nil {
				return err
			}
			delete(members, f.Name)
		}
		for name := range members {
			return &FieldError{v.Type().Name(), name, true}
		}
		return nil
	default: // a bool, a whole number, a string, or a map of strings
		err = json.Unmarshal(text, v.Addr().Interface())
	}
	if err != nil || v.Kind() == reflect.Array {
		return fmt.Errorf("%.40s is no %s", text, v.Type())
	}
	return nil
}
