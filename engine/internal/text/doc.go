// Package text writes and reads the elements of arrays as text: in rows, as NumPy
// prints them, and as JSON.
package text
