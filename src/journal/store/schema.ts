/** Identifies our database in the file's header: "Tong" in ASCII. */
export const APPLICATION_ID = 0x546f6e67

/**
 * Migrates each version of the schema to the next; the first one creates it. New migrations are added at the end, and
 * existing ones never change.
 *
 * Everything that happens is appended to `log`, so that a commit touches as few pages as possible: chain entries (they
 * have a `seq`), payloads (`hash` is their digest), and changes to the ledger or to what has landed. The other tables
 * are folds of it, complete up to the row in `meta` under `folded`; the rows of `seen` are each sealed. The exceptions
 * are `grants`, whose rows are each sealed too, and `findings`, which holds lists that entries refer to by digest.
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
  // What was shown of a file entitles to edit it, so a row counts only with a seal. Older rows have none.
  `DROP TABLE seen;
   CREATE TABLE seen (
     session INTEGER NOT NULL, path TEXT NOT NULL, digest TEXT, at INTEGER, ranges TEXT, seal TEXT,
     PRIMARY KEY (session, path)
   ) STRICT, WITHOUT ROWID;`,
]
