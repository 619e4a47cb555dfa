-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "reconciliation_id" UUID,
ADD COLUMN     "synced_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "reconciliations" (
    "id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "stored_records" INTEGER,
    "app_records" INTEGER,
    "unlisted" INTEGER,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "differences" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "reconciliations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "reconciliations_credential_id_topic_requested_at_idx" ON "reconciliations"("credential_id", "topic", "requested_at");

-- AddForeignKey
ALTER TABLE "reconciliations" ADD CONSTRAINT "reconciliations_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;
