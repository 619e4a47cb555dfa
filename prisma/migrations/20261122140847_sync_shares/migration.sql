-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "claimed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "record_totals" (
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "records" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "record_totals_pkey" PRIMARY KEY ("credential_id","topic")
);

-- CreateTable
CREATE TABLE "change_totals" (
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "change_totals_pkey" PRIMARY KEY ("credential_id","topic","day")
);

-- CreateIndex
CREATE INDEX "change_totals_day_idx" ON "change_totals"("day");

-- CreateIndex
CREATE INDEX "sync_states_claimed_at_idx" ON "sync_states"("claimed_at");
