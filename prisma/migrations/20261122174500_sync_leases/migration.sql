-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "held_until" TIMESTAMPTZ(3),
ADD COLUMN     "holder" UUID,
ADD COLUMN     "progress" JSONB;

-- By hand: the lease and the progress were in the column "run".
UPDATE "sync_states" SET "holder" = ("run"->>'holder')::uuid,
    "held_until" = CASE WHEN "run"->>'holder' IS NOT NULL THEN ("run"->>'heldUntil')::timestamptz END,
    "progress" = NULLIF("run"->'progress', 'null')
    WHERE "run" IS NOT NULL;

-- The previous version may run at the same time. It reads and writes only "run", later versions only the other
-- columns, so each lease is visible to both.
CREATE FUNCTION sync_states_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.run IS DISTINCT FROM OLD.run THEN
        NEW.holder := (NEW.run->>'holder')::uuid;
        NEW.held_until := CASE WHEN NEW.holder IS NOT NULL THEN (NEW.run->>'heldUntil')::timestamptz END;
        NEW.progress := NULLIF(NEW.run->'progress', 'null');
    ELSE
        NEW.run := CASE WHEN NEW.holder IS NOT NULL OR NEW.progress IS NOT NULL THEN jsonb_build_object(
            'holder', NEW.holder, 'heldUntil', NEW.held_until, 'progress', NEW.progress) END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER sync_states_run BEFORE UPDATE ON "sync_states" FOR EACH ROW
    WHEN ((NEW.run, NEW.holder, NEW.held_until, NEW.progress)
        IS DISTINCT FROM (OLD.run, OLD.holder, OLD.held_until, OLD.progress))
    EXECUTE FUNCTION sync_states_run();
