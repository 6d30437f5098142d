package enginetest_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
