package enginetest_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
