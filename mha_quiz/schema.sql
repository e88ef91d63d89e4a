-- The log. Rows are only ever added; all else is computed from them.
CREATE TABLE event (
    number INTEGER PRIMARY KEY,             -- order of arrival in this file
    id TEXT NOT NULL UNIQUE,
    computer TEXT NOT NULL,
    at INTEGER NOT NULL,                    -- Unix milliseconds
    day TEXT NOT NULL,                      -- the learner's day, YYYY-MM-DD
    kind TEXT NOT NULL CHECK (kind IN ('answered', 'tried', 'started', 'undone', 'planned')),
    key TEXT,                               -- card/ID/ORDINAL or skill/FAMILY
    rating INTEGER CHECK (rating BETWEEN 1 AND 4),
    undoes TEXT,                            -- id of the event that was taken back
    details TEXT NOT NULL,                  -- JSON
    seal INTEGER NOT NULL                   -- CRC-32 of the other columns, since SQLite does not see every damage
) STRICT;
CREATE INDEX event_of_key ON event (key, at, id) WHERE key IS NOT NULL;
CREATE INDEX event_of_day ON event (day);
CREATE INDEX event_undone ON event (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX event_planned ON event (at, id) WHERE kind = 'planned';
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

-- What the log says about each key, so that nothing need be replayed to know what is due.
CREATE TABLE state (
    key TEXT PRIMARY KEY,
    due TEXT NOT NULL,
    stability REAL NOT NULL,                -- days
    difficulty REAL NOT NULL,
    reps INTEGER NOT NULL,
    lapses INTEGER NOT NULL,
    last TEXT NOT NULL,
    seal INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX state_due ON state (due);
-- One row: what the states were computed from.
CREATE TABLE replayed (
    version INTEGER NOT NULL,               -- of the schedule
    events INTEGER NOT NULL,
    horizon TEXT NOT NULL                   -- events of later days were left out
) STRICT;

-- The siblings that the notes under a root held when they were last read, in their order.
CREATE TABLE sighted (
    root TEXT NOT NULL,
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (root, position)
) STRICT, WITHOUT ROWID;
