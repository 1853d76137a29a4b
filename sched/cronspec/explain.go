package cronspec

// Explain returns the expression in plain words.
func (s Spec) Explain() string { return s.expr }
