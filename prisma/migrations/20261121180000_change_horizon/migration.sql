-- Until when the change log has forgotten: what was so before that time cannot be said any more.
ALTER TABLE change_log.horizon ADD COLUMN at timestamptz(3);
-- Of what was deleted before this column was there, the oldest that is left says the latest it can have been.
UPDATE change_log.horizon SET at = (SELECT c.at FROM change_log.changes c
    ORDER BY c.epoch, c.xid, c.sequence LIMIT 1) WHERE xid <> '0';
