-- A crash of PostgreSQL begins an epoch of the change log too.
--
-- The number that a transaction draws is on disk only with what it writes there. One that rolled back
-- shortly before a crash leaves its number to be drawn once more: by a change that would then stand
-- before cursors which were handed out meanwhile, and never be read.

-- What is not in PostgreSQL's own log is emptied when it recovers from a crash, of the whole server or of
-- one of its processes, and is kept when it is stopped and started. So a row here says: no crash since
-- that epoch began. One row, or none.
--
-- A dump has the row too. Restored, it is in a table of another oid, and says nothing: of what was written
-- since the dump, readers may hold cursors of later epochs.
CREATE UNLOGGED TABLE change_log.running_epoch (epoch bigint PRIMARY KEY, relation oid NOT NULL);

INSERT INTO change_log.running_epoch (epoch, relation)
SELECT epoch, 'change_log.running_epoch'::regclass FROM change_log.epochs ORDER BY epoch DESC LIMIT 1;

-- The latest epoch, if this cluster began it and has not crashed since; null: the next change begins one.
CREATE FUNCTION change_log.epoch_that_runs() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT l.epoch
    FROM (SELECT epoch, cluster FROM change_log.epochs ORDER BY epoch DESC LIMIT 1) AS l
    JOIN change_log.running_epoch r
        ON r.epoch = l.epoch AND r.relation = 'change_log.running_epoch'::regclass
    WHERE l.cluster = change_log.cluster()
$$;

-- For writers, as before: the epoch that runs, begun if there is none. Called once a statement.
CREATE OR REPLACE FUNCTION change_log.current_epoch() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    running bigint := change_log.epoch_that_runs();
BEGIN
    IF running IS NOT NULL THEN
        RETURN running;
    END IF;
    -- One transaction begins the epoch; the others wait for its end and find it.
    PERFORM pg_advisory_xact_lock(hashtextextended('change_log.epochs', 0));
    running := change_log.epoch_that_runs();
    IF running IS NOT NULL THEN
        RETURN running;
    END IF;
    -- Seconds since 1970, so that even the epoch after an old backup is later than any that was lost with
    -- it. Two past the last at least: the one in between is what readers were told of until now.
    INSERT INTO change_log.epochs (epoch, cluster)
    SELECT greatest(max(epoch) + 2, extract(epoch FROM clock_timestamp())::bigint), change_log.cluster()
    FROM change_log.epochs
    RETURNING epoch INTO running;
    DELETE FROM change_log.running_epoch;
    INSERT INTO change_log.running_epoch (epoch, relation)
        VALUES (running, 'change_log.running_epoch'::regclass);
    RETURN running;
END
$$;

-- For readers, as before: the epoch that runs; one past the last if none does, because all that is there
-- then comes from transactions that have ended.
CREATE OR REPLACE FUNCTION change_log.reading_epoch() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(change_log.epoch_that_runs(),
        (SELECT max(epoch) + 1 FROM change_log.epochs), 0)
$$;
