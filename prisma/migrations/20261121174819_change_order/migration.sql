-- Prisma knows neither the change log (xid8) nor functions.
--
-- Transaction ids order the log within one run of one PostgreSQL cluster. A dump that is restored
-- elsewhere begins with lower ones, and a standby that is promoted may assign some again: rows would
-- then stand before cursors that clients hold, and never be read. So the order begins with an epoch:
-- the time at which a cluster, or a timeline of it, first wrote to this log.
CREATE TABLE change_log.epochs (
    epoch bigint PRIMARY KEY,
    cluster text NOT NULL,
    began_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Which cluster this is, and on which timeline: another one after every restore and every promotion.
CREATE FUNCTION change_log.cluster() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    FROM pg_control_system()
$$;

-- For writers: the epoch of this cluster, begun if there is none. Called once a statement, not once a row.
CREATE FUNCTION change_log.current_epoch() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    here text := change_log.cluster();
    latest change_log.epochs;
BEGIN
    SELECT * INTO latest FROM change_log.epochs ORDER BY epoch DESC LIMIT 1;
    IF latest.cluster = here THEN
        RETURN latest.epoch;
    END IF;
    -- One transaction begins the epoch; the others wait for its end and find it.
    PERFORM pg_advisory_xact_lock(hashtextextended('change_log.epochs', 0));
    SELECT * INTO latest FROM change_log.epochs ORDER BY epoch DESC LIMIT 1;
    IF latest.cluster = here THEN
        RETURN latest.epoch;
    END IF;
    -- Seconds since 1970, so that even the epoch after an old backup is later than any that was lost with it.
    INSERT INTO change_log.epochs (epoch, cluster)
    VALUES (greatest(latest.epoch + 1, extract(epoch FROM clock_timestamp())::bigint), here)
    RETURNING * INTO latest;
    RETURN latest.epoch;
END
$$;

-- For readers: the epoch of this cluster; one past the last if it has written nothing yet, because all
-- that is there then comes from transactions of other clusters, which have ended.
CREATE FUNCTION change_log.reading_epoch() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT CASE WHEN cluster = change_log.cluster() THEN epoch ELSE epoch + 1 END
        FROM change_log.epochs ORDER BY epoch DESC LIMIT 1), 0)
$$;

INSERT INTO change_log.epochs (epoch, cluster) VALUES (0, change_log.cluster());

ALTER TABLE change_log.changes
    ADD COLUMN epoch bigint NOT NULL DEFAULT 0,
    -- The workflow run whose write made the change; null if none did.
    ADD COLUMN cause uuid;
ALTER TABLE change_log.changes
    ALTER COLUMN epoch SET DEFAULT change_log.current_epoch(),
    DROP CONSTRAINT changes_pkey,
    ADD PRIMARY KEY (epoch, xid, sequence);

-- What one environment is told, in order; and what became of one record.
CREATE INDEX changes_of_environment ON change_log.changes (environment_id, epoch, xid, sequence);
CREATE INDEX changes_of_record ON change_log.changes (credential_id, record_id, epoch, xid, sequence)
    WHERE record_id IS NOT NULL;

-- Where the log begins: what stood before has been deleted. One row.
CREATE TABLE change_log.horizon (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch bigint NOT NULL,
    xid xid8 NOT NULL,
    sequence bigint NOT NULL
);
INSERT INTO change_log.horizon (epoch, xid, sequence) VALUES (0, '0', 0);
