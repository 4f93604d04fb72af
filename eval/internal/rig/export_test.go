package rig

// For TestMain, which is outside of the package: it imports what imports this one.
var (
	RungMain  = rungMain
	TestCache = &testCache
)

// testCache is where tests keep what is compiled: the emulation's runtime alone takes seconds.
var testCache string
