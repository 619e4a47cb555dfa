-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "label_read_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "paused_at" TIMESTAMPTZ(3);

-- By hand: the pause of a credential is that of each of its syncs.
UPDATE "sync_states" s SET "paused_at" = c."paused_at"
    FROM "credentials" c WHERE c."id" = s."credential_id" AND c."paused_at" IS NOT NULL;

-- AlterTable
ALTER TABLE "credentials" DROP COLUMN "paused_at";
