-- The foreign key was checked row by row, which was a third of what keeping an attempt cost. The statement
-- that writes attempts (saveCheckpoint) has updated, and so locked, the row that they belong to: it is there.
-- DropForeignKey
ALTER TABLE "webhook_attempts" DROP CONSTRAINT "webhook_attempts_subscription_id_fkey";

-- What the key did beside: they are deleted with it. A deletion waits for the lock, and sees what was written.
CREATE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM webhook_attempts a USING gone WHERE a.subscription_id = gone.subscription_id;
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_deleted AFTER DELETE ON "webhook_deliveries"
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_webhook_attempts();
