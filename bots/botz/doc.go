// Package botz reads and writes .botz archives: one bundle each, as a gzipped tar.
//
// # Writing
//
// Pack gives equal bytes for equal bundles: names in the order of their bytes, no
// times, no owners, files 0644 or, where the owner may execute them, 0755. (Another
// version of the Go library may compress a little differently.) What version control
// and file managers leave in a folder stays out, see LeftOut.
//
// # Reading
//
// An archive may come from anybody, so nothing of it is trusted. Every name, kind
// and size is checked before anything is written, by the rules that Pack keeps as
// well; one entry that breaks them refuses the whole archive:
//
//	names   relative, without .. or empty parts, valid UTF-8, no control characters,
//	        no backslash; none twice, none that differ in case alone
//	kinds   files, folders, and symbolic links to a file or folder of the same
//	        archive that is no link itself, so that no chain of links leads out;
//	        no hard links, devices, pipes, sockets
//	places  nothing lies below a file or a link
//	sizes   of each file, of all together, of their number: see Limits. What is read
//	        counts, not what headers promise
//
// Extract writes into a folder beside its target, through an os.Root, and renames it
// there: the target is whole or does not exist. Files get 0600 or 0700.
//
// An archive whose names all lie in one folder, as `tar czf x.botz x` makes it, is
// read as if it held that folder's content.
package botz

// Suffix ends the name of an archive's file.
const Suffix = ".botz"

// Limits bound what an archive may hold.
type Limits struct {
	Names int   // files, folders and links together
	File  int64 // bytes of one file
	Total int64 // bytes of all files
}

// DefaultLimits are far beyond what a bot needs and far below what hurts a disk.
func DefaultLimits() Limits { return Limits{Names: 10_000, File: 128 << 20, Total: 256 << 20} }
