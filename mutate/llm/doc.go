// Package llm asks language models for mutations, through any server that speaks OpenAI's chat protocol,
// in the manner of EvoEngineer (Guo et al., arXiv 2510.03760): what information a prompt has is kept apart
// from how it is written.
//
// A reply is data. It is parsed strictly, and what it proposes is judged like any other candidate; no
// path, name or verdict is taken from it. Nothing here touches a search: evolve asks, in goroutines of its
// own, and takes what comes.
package llm
