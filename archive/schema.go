package archive

// migrations bring a database from one schema version to the next; the number
// of those that ran stands in PRAGMA user_version. Entries are only added at
// the end: an archive of any earlier release is brought up through them.
var migrations = []string{`
CREATE TABLE packs(
	id    INTEGER PRIMARY KEY AUTOINCREMENT,
	state TEXT NOT NULL CHECK(state IN ('writing','stored','doomed')),
	raw   INTEGER NOT NULL DEFAULT 0,
	size  INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE sessions(
	id     INTEGER PRIMARY KEY,
	name   TEXT NOT NULL,
	format TEXT NOT NULL,
	UNIQUE(name, format)
);
CREATE TABLE generations(
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	session INTEGER NOT NULL REFERENCES sessions(id),
	pack    INTEGER NOT NULL REFERENCES packs(id),
	state   TEXT NOT NULL CHECK(state IN ('pending','applied')),
	time    INTEGER NOT NULL,
	path    TEXT NOT NULL,
	options TEXT NOT NULL
);
CREATE INDEX generations_session ON generations(session);
CREATE INDEX generations_pack ON generations(pack);
CREATE TABLE files(
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	file     INTEGER NOT NULL,
	path     TEXT NOT NULL,
	old_size INTEGER NOT NULL,
	old_sum  BLOB NOT NULL,
	new_size INTEGER NOT NULL,
	new_sum  BLOB NOT NULL,
	PRIMARY KEY(generation, file)
) WITHOUT ROWID;
CREATE INDEX files_new ON files(new_sum);
CREATE TABLE edits(
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	file    INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	old_off INTEGER NOT NULL,
	old_len INTEGER NOT NULL,
	new_off INTEGER NOT NULL,
	new_len INTEGER NOT NULL,
	ref     TEXT NOT NULL,
	PRIMARY KEY(generation, file, seq)
) WITHOUT ROWID;
CREATE TABLE segments(
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	file     INTEGER NOT NULL,
	off      INTEGER NOT NULL,
	len      INTEGER NOT NULL,
	pack_off INTEGER NOT NULL,
	sum      BLOB NOT NULL,
	PRIMARY KEY(generation, file, off)
) WITHOUT ROWID;
CREATE TABLE masks(
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	ref        TEXT NOT NULL,
	key        TEXT NOT NULL,
	headline   TEXT NOT NULL,
	state      TEXT NOT NULL,
	record     TEXT NOT NULL,
	UNIQUE(generation, ref)
);
CREATE INDEX masks_ref ON masks(ref);
CREATE TABLE markers(
	ref        TEXT NOT NULL,
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	PRIMARY KEY(ref, generation)
) WITHOUT ROWID;
CREATE INDEX markers_generation ON markers(generation);
CREATE TABLE entries(
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	seq   INTEGER NOT NULL,
	file  INTEGER NOT NULL,
	off   INTEGER NOT NULL,
	len   INTEGER NOT NULL,
	ref   TEXT NOT NULL,
	role  TEXT NOT NULL,
	kind  TEXT NOT NULL,
	tool  TEXT NOT NULL,
	name  TEXT NOT NULL,
	time  INTEGER NOT NULL
);
CREATE INDEX entries_ref ON entries(generation, ref);
CREATE TABLE late(
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	pack INTEGER NOT NULL REFERENCES packs(id),
	sum  BLOB NOT NULL,
	time INTEGER NOT NULL
);
CREATE INDEX late_generation ON late(generation);
CREATE INDEX late_pack ON late(pack);
CREATE VIRTUAL TABLE search USING fts5(
	text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
`, `
CREATE TABLE known(
	key      TEXT NOT NULL,
	dev      INTEGER NOT NULL,
	inode    INTEGER NOT NULL,
	size     INTEGER NOT NULL,
	modified INTEGER NOT NULL,
	changed  INTEGER NOT NULL,
	tokens   INTEGER NOT NULL,
	day      INTEGER NOT NULL,
	PRIMARY KEY(key, dev, inode)
) WITHOUT ROWID;
`, `
CREATE TABLE answers(
	key     BLOB PRIMARY KEY,
	session TEXT NOT NULL,
	ref     TEXT NOT NULL,
	text    TEXT NOT NULL,
	time    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_session ON answers(session);
CREATE INDEX answers_ref ON answers(ref);
`, `
CREATE TABLE restored(
	session    TEXT NOT NULL,
	format     TEXT NOT NULL,
	path       TEXT NOT NULL,
	time       INTEGER NOT NULL,
	generation INTEGER NOT NULL,
	PRIMARY KEY(session, format, path)
) WITHOUT ROWID;
`, `
CREATE TABLE forgotten(
	ref TEXT PRIMARY KEY,
	day INTEGER NOT NULL
) WITHOUT ROWID;
`, `
CREATE TABLE undone(
	generation INTEGER NOT NULL REFERENCES generations(id) ON DELETE CASCADE,
	path       TEXT NOT NULL,
	PRIMARY KEY(generation, path)
) WITHOUT ROWID;
INSERT INTO undone SELECT g.id, r.path FROM restored r JOIN sessions s ON s.name=r.session AND s.format=r.format
	JOIN generations g ON g.session=s.id AND g.id<=r.generation;
`}

// A row of search belongs to the entry or to the mask whose id is half of its
// rowid: entries have the even ones, masks the odd ones.
func entryRow(id int64) int64 { return 2 * id }
func maskRow(id int64) int64  { return 2*id + 1 }
