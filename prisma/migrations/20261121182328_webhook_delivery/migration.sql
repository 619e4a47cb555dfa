-- AlterTable
ALTER TABLE "webhook_subscriptions" ADD COLUMN     "disabled_reason" TEXT,
ADD COLUMN     "is_ordered" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "old_secret_until" TIMESTAMPTZ(3),
ADD COLUMN     "payload" TEXT,
ADD COLUMN     "sealed_old_secret" BYTEA,
ADD COLUMN     "selection" JSONB;

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "subscription_id" UUID NOT NULL,
    "position" TEXT,
    "holder" UUID,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("subscription_id")
);

-- CreateTable
CREATE TABLE "webhook_workers" (
    "id" UUID NOT NULL,
    "held_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_retries" (
    "subscription_id" UUID NOT NULL,
    "message_id" TEXT NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "topic" TEXT NOT NULL,
    "change" TEXT,
    "record_id" UUID,
    "body" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_retries_pkey" PRIMARY KEY ("subscription_id","message_id")
);

-- CreateTable
CREATE TABLE "webhook_replays" (
    "id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "position" TEXT NOT NULL,
    "until" TEXT NOT NULL,
    "changed_from" TIMESTAMPTZ(3),
    "changed_to" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_replays_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "id" BIGSERIAL NOT NULL,
    "subscription_id" UUID NOT NULL,
    "message_id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "change" TEXT,
    "attempt" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "status" INTEGER,
    "failure" TEXT,
    "answer" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_deliveries_holder_idx" ON "webhook_deliveries"("holder");

-- CreateIndex
CREATE INDEX "webhook_retries_subscription_id_due_at_idx" ON "webhook_retries"("subscription_id", "due_at");

-- CreateIndex
CREATE INDEX "webhook_retries_subscription_id_record_id_number_idx" ON "webhook_retries"("subscription_id", "record_id", "number");

-- CreateIndex
CREATE INDEX "webhook_replays_subscription_id_created_at_idx" ON "webhook_replays"("subscription_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_attempts_subscription_id_id_idx" ON "webhook_attempts"("subscription_id", "id");

-- CreateIndex
CREATE INDEX "webhook_attempts_subscription_id_message_id_idx" ON "webhook_attempts"("subscription_id", "message_id");

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "webhook_subscriptions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_retries" ADD CONSTRAINT "webhook_retries_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "webhook_deliveries"("subscription_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_replays" ADD CONSTRAINT "webhook_replays_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "webhook_deliveries"("subscription_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "webhook_deliveries"("subscription_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Subscriptions that are there already begin when a process first takes them.
INSERT INTO "webhook_deliveries" ("subscription_id") SELECT "id" FROM "webhook_subscriptions";
