package failure_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/oneloop/oneloop/internal/failure"
)

func half(text string) (n int, err error) {
	defer failure.Catch(&err)
	defer failure.In("half of " + text)
	if n = failure.Must(strconv.Atoi(text)); n%2 != 0 {
		failure.Check(errors.New("the number is odd"))
	}
	return n / 2, nil
}

func TestCatch(t *testing.T) {
	if n, err := half("6"); n != 3 || err != nil {
		t.Errorf("half of 6 is %d, %v", n, err)
	}
	if _, err := half("7"); err == nil || err.Error() != "half of 7: the number is odd" {
		t.Errorf("half of 7: %v", err)
	}
	if _, err := half("x"); !errors.Is(err, strconv.ErrSyntax) {
		t.Errorf("half of x: %v", err)
	}
}

func TestOtherPanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "other" {
			t.Errorf("recovered %v", p)
		}
	}()
	var err error
	defer failure.Catch(&err)
	defer failure.In("here")
	panic("other")
}
