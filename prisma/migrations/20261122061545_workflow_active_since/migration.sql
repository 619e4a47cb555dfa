-- AlterTable
ALTER TABLE "installed_workflows" ADD COLUMN     "active_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- By hand: those that are there have been active since they were installed.
UPDATE "installed_workflows" w SET "active_since" = i."installed_at"
    FROM "installations" i WHERE i."id" = w."installation_id" AND i."installed_at" IS NOT NULL;
