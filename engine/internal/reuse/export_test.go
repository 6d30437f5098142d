package reuse

// The limits of statements that have a key.
const (
	MaxKeyWords   = maxKeyWords
	MaxKeyArrays  = maxKeyArrays
	MaxKeyScalars = maxKeyScalars
)

// Words returns the words of the key.
func (k *Key) Words() []uint64 { return k.words }

// Idents returns the identities of nodes in the key.
func (k *Key) Idents() []any { return k.idents }

// Arrays returns the number of arrays of the statements.
func (k *Key) Arrays() int { return len(k.arrays) }
