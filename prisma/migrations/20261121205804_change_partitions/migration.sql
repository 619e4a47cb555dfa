-- The change log in partitions, so that what is past its time is dropped and not deleted row by row. Prisma
-- knows no partitions.
--
-- By the log's order and not by time: a reader asks for what follows a place, and PostgreSQL then leaves out
-- every partition before it. There are always some partitions ahead of the newest row, each for about as many
-- transactions as a day brings, and behind them one without an end: what comes when nobody has made
-- partitions in time, or after a restore, which begins an epoch, is written there. No write fails for want
-- of a partition. Bounds are set where there are no rows yet, so that nothing has to be looked through.

-- The table and its sequence, for this alone. A writer takes them in this order, or keeps a number first (see
-- `reserveLogPlace`): that one is let through, or each would wait for the other. Whoever has the table for
-- long, such as a dump, is waited for without holding up those who come after.
DO $$
BEGIN
    SET LOCAL lock_timeout = '300ms';
    LOOP
        BEGIN
            LOCK TABLE change_log.changes IN ACCESS EXCLUSIVE MODE;
            ALTER SEQUENCE change_log.changes_sequence_seq RENAME TO changes_first_sequence_seq;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2); -- Undone, and the table let go.
        END;
    END LOOP;
    SET LOCAL lock_timeout = 0;
END
$$;
ALTER TABLE change_log.changes RENAME TO changes_first;
ALTER TABLE change_log.changes_first RENAME CONSTRAINT changes_pkey TO changes_first_pkey;
ALTER INDEX change_log.changes_of_environment RENAME TO changes_first_of_environment;
ALTER INDEX change_log.changes_of_record RENAME TO changes_first_of_record;

CREATE TABLE change_log.changes (LIKE change_log.changes_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    PARTITION BY RANGE (epoch, xid);
ALTER TABLE change_log.changes
    ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY,
    ADD PRIMARY KEY (epoch, xid, sequence);
SELECT setval(pg_get_serial_sequence('change_log.changes', 'sequence'), last_value, is_called)
    FROM change_log.changes_first_sequence_seq;

-- Both stay. Without the first, who reads the log of a quiet environment reads everybody's: of 1.5 million rows
-- 320 ms a page instead of 4, for 2 ms of the 55 that a batch of 1,000 records takes. The second (3 to 4 ms) is
-- what histories and past records are found by.
CREATE INDEX changes_of_environment ON change_log.changes (environment_id, epoch, xid, sequence);
CREATE INDEX changes_of_record ON change_log.changes (credential_id, record_id, epoch, xid, sequence)
    WHERE record_id IS NOT NULL;

-- Whoever was let in by hand stays so.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT a.grantee, a.privilege_type, a.is_grantable
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
        WHERE c.oid = 'change_log.changes_first'::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('GRANT %s ON change_log.changes TO %s%s', one.privilege_type,
            CASE one.grantee WHEN 0 THEN 'PUBLIC' ELSE one.grantee::regrole::text END,
            CASE WHEN one.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
    END LOOP;
END
$$;

-- What is there becomes the first partition as it lies: it is read once, and not written again. Nobody else
-- has the table, so every transaction that has written to it has ended, and lies below the bound.
DO $$
DECLARE
    bound text := format('(%L, %L)', change_log.current_epoch(), pg_snapshot_xmax(pg_current_snapshot()));
BEGIN
    ALTER TABLE change_log.changes_first ALTER COLUMN sequence DROP IDENTITY;
    EXECUTE 'ALTER TABLE change_log.changes ATTACH PARTITION change_log.changes_first
        FOR VALUES FROM (MINVALUE, MINVALUE) TO ' || bound;
    EXECUTE 'CREATE TABLE change_log.changes_tail PARTITION OF change_log.changes
        FOR VALUES FROM ' || bound || ' TO (MAXVALUE, MAXVALUE)';
END
$$;

-- The partitions and their bounds; null: none.
CREATE VIEW change_log.partitions AS
SELECT c.oid::regclass AS name, nullif(bounds[1], 'MINVALUE')::bigint AS lower_epoch,
    nullif(bounds[2], 'MINVALUE')::xid8 AS lower_xid, nullif(bounds[3], 'MAXVALUE')::bigint AS upper_epoch,
    nullif(bounds[4], 'MAXVALUE')::xid8 AS upper_xid
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
CROSS JOIN regexp_match(pg_get_expr(c.relpartbound, c.oid),
    $$FROM \('?(\w+)'?, '?(\w+)'?\) TO \('?(\w+)'?, '?(\w+)'?\)$$) AS bounds
WHERE i.inhparent = 'change_log.changes'::regclass;

-- How many partitions are ahead of all that is written.
CREATE FUNCTION change_log.partitions_ahead() RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT count(*)::integer FROM change_log.partitions
    WHERE upper_epoch IS NOT NULL
        AND (lower_epoch, lower_xid) > (change_log.reading_epoch(), pg_snapshot_xmax(pg_current_snapshot()))
$$;

CREATE SEQUENCE change_log.partition_numbers;

-- An empty table that can become a partition.
CREATE FUNCTION change_log.create_partition() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    name text := format('change_log.changes_%s', nextval('change_log.partition_numbers'));
BEGIN
    EXECUTE format('CREATE TABLE %s (LIKE change_log.changes INCLUDING ALL EXCLUDING IDENTITY)', name);
    RETURN name;
END
$$;

-- Makes as many partitions, each of so many transactions, as are missing from a number ahead. Returns how
-- many; null if others had the table, or were at it: to be tried again.
--
-- The table is taken alone for some milliseconds, and in one statement, so that no client falls asleep over
-- it. Nobody waits longer than the lock_timeout and those: whoever waits in line for the table lets nobody
-- pass. First the table and then its partitions are locked, as readers and writers do it.
CREATE FUNCTION change_log.make_partitions(ahead integer, size bigint) RETURNS integer
LANGUAGE plpgsql SET lock_timeout = '300ms' AS $$
DECLARE
    missing integer;
    made text[];
    one text;
    tail change_log.partitions;
    epoch bigint;
    past numeric;
    lower_bound text;
    upper_bound text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('change_log.partitions', 0)) THEN
        RETURN NULL;
    END IF;
    missing := ahead - change_log.partitions_ahead();
    IF missing <= 0 THEN
        RETURN 0;
    END IF;
    SELECT array_agg(change_log.create_partition()) INTO made FROM generate_series(1, missing);
    LOCK TABLE ONLY change_log.changes IN ACCESS EXCLUSIVE MODE;
    -- Now, because whoever else begins an epoch has the table.
    epoch := change_log.current_epoch();
    past := pg_snapshot_xmax(pg_current_snapshot())::text;
    SELECT * INTO STRICT tail FROM change_log.partitions WHERE upper_epoch IS NULL;
    lower_bound := format('(%L, %L)', tail.lower_epoch, tail.lower_xid);
    ALTER TABLE change_log.changes DETACH PARTITION change_log.changes_tail;
    IF EXISTS (SELECT FROM change_log.changes_tail) THEN
        -- What came unprovided for stays where it is, and is given an end: here.
        one := format('changes_%s', nextval('change_log.partition_numbers'));
        EXECUTE format('ALTER TABLE change_log.changes_tail RENAME TO %I', one);
        upper_bound := format('(%L, %L)', epoch, past);
        EXECUTE format('ALTER TABLE change_log.changes ATTACH PARTITION change_log.%I FOR VALUES FROM %s TO %s',
            one, lower_bound, upper_bound);
        lower_bound := upper_bound;
        CREATE TABLE change_log.changes_tail (LIKE change_log.changes INCLUDING ALL EXCLUDING IDENTITY);
    ELSIF tail.lower_epoch = epoch THEN
        past := greatest(past, tail.lower_xid::text::numeric);
    END IF;
    FOREACH one IN ARRAY made LOOP
        past := past + size;
        upper_bound := format('(%L, %L)', epoch, past);
        EXECUTE format('ALTER TABLE change_log.changes ATTACH PARTITION %s FOR VALUES FROM %s TO %s',
            one, lower_bound, upper_bound);
        lower_bound := upper_bound;
    END LOOP;
    EXECUTE format('ALTER TABLE change_log.changes ATTACH PARTITION change_log.changes_tail
        FOR VALUES FROM %s TO (MAXVALUE, MAXVALUE)', lower_bound);
    RETURN missing;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;

SELECT change_log.make_partitions(7, 100000);

-- Drops the oldest partition if all in it is older than a time, and no transaction can add to it any more;
-- and notes where the log begins now. One in which nothing is goes before its turn: those that were ahead
-- when an epoch ended. Returns whether; null if others had the table, or were at it: to be tried again. It has the table alone as `make_partitions` does; what is looked for takes longer, and is
-- looked for before.
CREATE FUNCTION change_log.drop_oldest_partition(older_than timestamptz) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '300ms' AS $$
DECLARE
    oldest change_log.partitions;
    last change_log.changes;
    newest_at timestamptz;
    is_first boolean := true;
    is_found boolean := false;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('change_log.partitions', 0)) THEN
        RETURN NULL;
    END IF;
    FOR oldest IN SELECT * FROM change_log.partitions p
        WHERE (p.upper_epoch, p.upper_xid) <= (change_log.reading_epoch(), pg_snapshot_xmin(pg_current_snapshot()))
        ORDER BY p.upper_epoch, p.upper_xid
    LOOP
        EXECUTE format('SELECT * FROM %s ORDER BY epoch DESC, xid DESC, sequence DESC LIMIT 1', oldest.name)
            INTO last;
        is_found := last.epoch IS NULL;
        IF is_first AND last.at < older_than THEN
            -- Times need not rise with the order.
            EXECUTE format('SELECT max(at) FROM %s', oldest.name) INTO newest_at;
            is_found := newest_at < older_than;
        END IF;
        EXIT WHEN is_found;
        is_first := false;
    END LOOP;
    IF NOT is_found THEN
        RETURN false;
    END IF;
    LOCK TABLE ONLY change_log.changes IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('DROP TABLE %s', oldest.name);
    UPDATE change_log.horizon h SET epoch = last.epoch, xid = last.xid, sequence = last.sequence,
        at = greatest(h.at, newest_at)
    WHERE (last.epoch, last.xid, last.sequence) > (h.epoch, h.xid, h.sequence);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;
