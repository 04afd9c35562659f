/** Identifies our database in the file's header: "Tong" in ASCII. */
export const APPLICATION_ID = 0x546f6e67

/**
 * Migrates each version of the schema to the next; the first one creates it. New migrations are added at the end, and
 * existing ones never change.
 *
 * Everything that happens is appended to `log`, so that a commit touches as few pages as possible: chain entries (they
 * have a `seq`), payloads (`hash` is their digest), and changes to the ledger or to what has landed. The other tables
 * are folds of it, complete up to the row in `meta` under `folded`; the rows of `seen` are each sealed. The exceptions
 * are `grants` and `closing`, whose rows are sealed too, `findings`, which holds lists that entries refer to by digest, and
 * `segment`, which says what of the files in front of the log is in it, and `pack`, which holds texts of entries.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE session (id INTEGER PRIMARY KEY, root TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (root, name)) STRICT;
   CREATE TABLE log (
     id INTEGER PRIMARY KEY,
     kind TEXT NOT NULL,
     session INTEGER,
     seq INTEGER,
     at INTEGER,
     hash BLOB,
     calls TEXT,
     lands INTEGER,
     body ANY
   ) STRICT;
   CREATE TABLE place (
     session INTEGER NOT NULL, seq INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL,
     PRIMARY KEY (session, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE payload_place (digest BLOB PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE about (
     execution TEXT NOT NULL, session INTEGER NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (execution, session, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE open_call (
     session INTEGER NOT NULL, execution TEXT NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (session, execution)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE unlanded (
     session INTEGER NOT NULL, execution TEXT NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (session, execution)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE seen (
     session INTEGER NOT NULL, path TEXT NOT NULL, digest TEXT, at INTEGER, ranges TEXT,
     PRIMARY KEY (session, path)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO meta VALUES ('folded', 0);`,
  `CREATE TABLE grants (
     id TEXT PRIMARY KEY, root TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL, sentence TEXT NOT NULL,
     granted_by TEXT NOT NULL, granted_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER,
     used INTEGER NOT NULL, seal TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX grants_of_root ON grants (root);`,
  // Commits that have landed but may not have reached the disk: until then a power cut can undo them.
  `CREATE TABLE unsynced (
     session INTEGER NOT NULL, execution TEXT NOT NULL, seq INTEGER NOT NULL, landed INTEGER NOT NULL, at INTEGER NOT NULL,
     PRIMARY KEY (session, execution)
   ) STRICT, WITHOUT ROWID;`,
  // Findings of the gates, stored once for all calls that share them.
  `CREATE TABLE findings (
     tool TEXT NOT NULL, digest BLOB NOT NULL, list TEXT NOT NULL,
     PRIMARY KEY (tool, digest)
   ) STRICT, WITHOUT ROWID;`,
  // What would otherwise have to be searched for in the whole log: entries that undo looks at, rare kinds of entries,
  // messages whose calls never became a batch, and when each payload was last mentioned. `sweep` is the oldest entry of
  // each session that the age limit has not erased; its time is null if there is none.
  `CREATE TABLE edit (
     session INTEGER NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (session, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE received (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
   CREATE TABLE sweep (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER) STRICT;
   CREATE INDEX sweep_by_time ON sweep (at) WHERE at IS NOT NULL;
   CREATE INDEX place_of_kind ON place (session, kind, seq) WHERE kind NOT IN ('batch', 'settled');
   DROP TABLE payload_place;
   CREATE TABLE payload_place (digest BLOB PRIMARY KEY, id INTEGER NOT NULL, used INTEGER) STRICT, WITHOUT ROWID;
   INSERT INTO payload_place (digest, id) SELECT hash, id FROM log
     WHERE kind = 'payload' AND id <= (SELECT value FROM meta WHERE key = 'folded') ORDER BY hash;
   CREATE INDEX payload_by_use ON payload_place (used) WHERE used IS NOT NULL;
   INSERT INTO meta VALUES ('used_to', 0);
   INSERT INTO edit SELECT p.session, p.seq FROM place p JOIN log l ON l.id = p.id
     WHERE l.lands = 1 OR p.kind IN ('undo', 'redo');
   INSERT INTO received SELECT p.session, max(p.seq) FROM place p WHERE p.kind = 'streamed' GROUP BY p.session;
   INSERT INTO sweep SELECT p.session, p.seq, l.at FROM place p JOIN log l ON l.id = p.id WHERE p.seq = 1;`,
  // What was shown of a file entitles to edit it, so a row counts only with a seal. Older rows have none.
  `DROP TABLE seen;
   CREATE TABLE seen (
     session INTEGER NOT NULL, path TEXT NOT NULL, digest TEXT, at INTEGER, ranges TEXT, seal TEXT,
     PRIMARY KEY (session, path)
   ) STRICT, WITHOUT ROWID;`,
  // Undo puts in place what an entry says about files, so the entry counts only with a seal. Older entries have none.
  `CREATE TABLE changes_seal (
     session INTEGER NOT NULL, seq INTEGER NOT NULL, seal TEXT NOT NULL,
     PRIMARY KEY (session, seq)
   ) STRICT, WITHOUT ROWID;`,
  // The heads with which sessions were closed, each sealed together with the closing before it.
  `CREATE TABLE closing (
     id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, link TEXT NOT NULL
   ) STRICT;
   CREATE INDEX closing_of_session ON closing (session);`,
  // Entries that earlier versions do not know: the use, the title and the copied results of a session, and undo in part.
  "UPDATE meta SET value = value WHERE key = 'folded';",
  // How far the segments of long-lived processes were taken up, and texts of entries that were taken up together; the
  // `body` of such an entry is a number. A program that does not know them must not write.
  `CREATE TABLE segment (
     id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, taken INTEGER NOT NULL, contested INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE pack (id INTEGER PRIMARY KEY, texts BLOB NOT NULL) STRICT;`,
  // The newest entry of each session, sealed with each write, so that nobody else adds to one whose process was killed.
  `CREATE TABLE end_seal (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, seal TEXT NOT NULL) STRICT;`,
]
