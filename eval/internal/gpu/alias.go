package gpu

import (
	"darwarp/eval/internal/device"
)

// What package device declares, by its earlier names.
type (
	Request      = device.Request
	Open         = device.Open
	OpenReply    = device.OpenReply
	Case         = device.Case
	TruthPlace   = device.TruthPlace
	Prepare      = device.Prepare
	Truth        = device.Truth
	Inputs       = device.Inputs
	InputsReply  = device.InputsReply
	Gate         = device.Gate
	GateReply    = device.GateReply
	CaseReply    = device.CaseReply
	Fault        = device.Fault
	Contender    = device.Contender
	Run          = device.Run
	Record       = device.Record
	Time         = device.Time
	TimeReply    = device.TimeReply
	RunReply     = device.RunReply
	Duel         = device.Duel
	DuelReply    = device.DuelReply
	Side         = device.Side
	Library      = device.Library
	LibraryReply = device.LibraryReply
	Ceilings     = device.Ceilings
	Terms        = device.Terms
	Fill         = device.Fill
	Tape         = device.Tape
	Disturb      = device.Disturb
	DisturbReply = device.DisturbReply
	Strays       = device.Strays
	Power        = device.Power
	Proof        = device.Proof
	Omission     = device.Omission
	PowerReply   = device.PowerReply
	ProofReply   = device.ProofReply
	Referee      = device.Referee
	Files        = device.Files
)

const (
	Mixed         = device.Mixed
	MostNeedles   = device.MostNeedles
	MostDisturbed = device.MostDisturbed
	MaxCalls      = device.MaxCalls
	Keeps         = device.Keeps
)

var (
	Classes       = device.Classes
	TermsOf       = device.TermsOf
	Pack          = device.Pack
	PackInputs    = device.PackInputs
	PaletteCase   = device.PaletteCase
	Called        = device.Called
	Turn          = device.Turn
	TurnOf        = device.TurnOf
	DrawTurn      = device.DrawTurn
	FlushBytes    = device.FlushBytes
	SecretNumbers = device.SecretNumbers
	Salt          = device.Salt
	Inherit       = device.Inherit
)
