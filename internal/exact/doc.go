// Package exact writes values as JSON without any loss and reads them back.
//
// The type of a value determines its text: a struct is an object of its exported fields
// under their Go names, in order, regardless of its JSON tags. A float64 is its shortest
// decimal form, or one of "NaN", "+Inf" and "-Inf". A nil pointer, slice or map is null,
// an empty one is not. A field with the tag `save:"-"` is left out.
//
// Each value has exactly one text; every other text is an error.
package exact
