// Package exact writes values as JSON without any loss and reads them back.
//
// The type of a value determines its text: a struct is an object of its exported fields
// under their Go names, in order, regardless of its JSON tags. A float64 is its shortest
// decimal form, or one of "NaN", "+Inf" and "-Inf". A nil pointer, slice or map is null,
// an empty one is not. A field with the tag `save:"-"` is left out, one with the tag
// `save:"some"` if it is zero, so that texts from before there was such a field can be read.
//
// Each value has exactly one text; every other text is an error.
package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Marshal returns the JSON of a value. It panics for a type without one, such as a
// function or an interface.
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
		members := 0
		for _, f := range b.known.fields(v.Type()) {
			own := v.FieldByIndex(f.Index)
			if f.Tag.Get("save") == "some" && own.IsZero() {
				continue
			}
			b.WriteByte("{,"[min(members, 1)])
			b.WriteString(`"` + f.Name + `":`)
			b.write(own)
			members++
		}
		b.end('{', '}', members)
	default:
		panic(fmt.Sprintf("exact: %s cannot be written", v.Type()))
	}
}

// end closes a list of members. The first member has opened it.
func (b *encoder) end(open, close byte, members int) {
	if members == 0 {
		b.WriteByte(open)
	}
	b.WriteByte(close)
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

// Unmarshal reads a text of Marshal into the variable that v points to. Every other
// text is an error: a missing, unknown or misplaced field, a number in another form,
// text after the end.
func Unmarshal(text []byte, v any) error {
	d := &decoder{json.NewDecoder(bytes.NewReader(text)), types{}}
	d.UseNumber()
	into := reflect.ValueOf(v).Elem()
	if err := d.read(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows after the end")
	}
	if !bytes.Equal(Marshal(into.Interface()), text) {
		return errors.New("it is not in the form in which it is written")
	}
	return nil
}

// decoder follows the types of Go values, so that a text is never nested deeper
// than they are.
type decoder struct {
	*json.Decoder
	known types
}

// FieldError is the error for a text whose fields differ from those of the struct. Got
// or Want is "" if there is no such field.
type FieldError struct{ Struct, Got, Want string }

func (e *FieldError) Error() string {
	switch {
	case e.Got == "":
		return fmt.Sprintf("%s has no field %s", e.Struct, e.Want)
	case e.Want == "":
		return fmt.Sprintf("%s has an unknown field %s", e.Struct, strconv.Quote(e.Got))
	}
	return fmt.Sprintf("%s has a field %s where %s is expected", e.Struct, strconv.Quote(e.Got), e.Want)
}

func (d *decoder) read(v reflect.Value) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	return d.readFrom(token, v)
}

// readFrom reads a value whose first token is known.
func (d *decoder) readFrom(token json.Token, v reflect.Value) error {
	nilable := v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice || v.Kind() == reflect.Map
	if token == nil {
		if !nilable {
			return fmt.Errorf("null is no %s", v.Type())
		}
		v.SetZero()
		return nil
	}
	var err error
	ok := true
	switch v.Kind() {
	case reflect.Bool:
		var x bool
		x, ok = token.(bool)
		v.SetBool(x)
	case reflect.String:
		var x string
		x, ok = token.(string)
		v.SetString(x)
	case reflect.Int, reflect.Int64:
		var x int64
		x, err = strconv.ParseInt(numeral(token), 10, 64)
		v.SetInt(x)
	case reflect.Uint64:
		var x uint64
		x, err = strconv.ParseUint(numeral(token), 10, 64)
		v.SetUint(x)
	case reflect.Float64:
		words := numeral(token)
		if s, isText := token.(string); isText && slices.Contains([]string{"NaN", "+Inf", "-Inf"}, s) {
			words = s
		}
		var x float64
		x, err = strconv.ParseFloat(words, 64)
		v.SetFloat(x)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.readFrom(token, v.Elem())
	case reflect.Slice:
		if ok = token == json.Delim('['); ok {
			return d.readSlice(v)
		}
	case reflect.Array:
		if ok = token == json.Delim('['); ok {
			return d.readArray(v)
		}
	case reflect.Map:
		if ok = token == json.Delim('{'); ok {
			return d.readMap(v)
		}
	case reflect.Struct:
		if ok = token == json.Delim('{'); ok {
			return d.readStruct(v)
		}
	default:
		panic(fmt.Sprintf("exact: %s cannot be read", v.Type()))
	}
	if !ok || err != nil {
		return fmt.Errorf("%v is no %s", token, v.Type())
	}
	return nil
}

// numeral returns the digits of a number, "" for another token.
func numeral(token json.Token) string {
	n, _ := token.(json.Number)
	return n.String()
}

func (d *decoder) readSlice(v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for d.More() {
		next := reflect.New(v.Type().Elem()).Elem()
		if err := d.read(next); err != nil {
			return err
		}
		v.Set(reflect.Append(v, next))
	}
	_, err := d.Token()
	return err
}

func (d *decoder) readArray(v reflect.Value) error {
	for i := range v.Len() {
		if err := d.read(v.Index(i)); err != nil {
			return err
		}
	}
	if token, err := d.Token(); err != nil || token != json.Delim(']') {
		return fmt.Errorf("a list is no %s", v.Type())
	}
	return nil
}

func (d *decoder) readMap(v reflect.Value) error {
	m := map[string]string{}
	for d.More() {
		var words [2]string
		for i := range words {
			if err := d.read(reflect.ValueOf(&words[i]).Elem()); err != nil {
				return err
			}
		}
		m[words[0]] = words[1]
	}
	v.Set(reflect.ValueOf(m).Convert(v.Type()))
	_, err := d.Token()
	return err
}

func (d *decoder) readStruct(v reflect.Value) error {
	name := "" // of the next member, if it was read
	for _, f := range d.known.fields(v.Type()) {
		if name == "" && d.More() {
			if err := d.read(reflect.ValueOf(&name).Elem()); err != nil {
				return err
			}
		}
		switch {
		case name == f.Name:
			if err := d.read(v.FieldByIndex(f.Index)); err != nil {
				return err
			}
			name = ""
		case f.Tag.Get("save") != "some":
			return &FieldError{v.Type().Name(), name, f.Name}
		}
	}
	if name == "" && d.More() {
		if err := d.read(reflect.ValueOf(&name).Elem()); err != nil {
			return err
		}
	}
	if name != "" {
		return &FieldError{v.Type().Name(), name, ""}
	}
	_, err := d.Token()
	return err
}
