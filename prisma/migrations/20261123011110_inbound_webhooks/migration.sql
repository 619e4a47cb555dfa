-- CreateTable
CREATE TABLE "inbound_subscriptions" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "credential_id" UUID,
    "company" TEXT,
    "remote_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "sealed_secret" BYTEA,
    "received" BIGINT NOT NULL DEFAULT 0,
    "last_received_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "holder" UUID,
    "held_until" TIMESTAMPTZ(3),
    "check_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "check_failures" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "fetch_failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "inbound_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_events" (
    "credential_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "remote_id" TEXT NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "processed_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("credential_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "inbound_subscriptions_credential_id_key" ON "inbound_subscriptions"("credential_id");

-- CreateIndex
CREATE INDEX "inbound_subscriptions_environment_id_app_company_idx" ON "inbound_subscriptions"("environment_id", "app", "company");

-- CreateIndex
CREATE INDEX "inbound_subscriptions_due_at_idx" ON "inbound_subscriptions"("due_at");

-- CreateIndex
CREATE INDEX "inbound_events_received_at_idx" ON "inbound_events"("received_at");

-- AddForeignKey
ALTER TABLE "inbound_subscriptions" ADD CONSTRAINT "inbound_subscriptions_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: an environment has one shared address for each app.
CREATE UNIQUE INDEX "inbound_subscriptions_shared_idx" ON "inbound_subscriptions"("environment_id", "app")
    WHERE "credential_id" IS NULL;

-- By hand: the events of a credential that wait.
CREATE INDEX "inbound_events_waiting_idx" ON "inbound_events"("credential_id", "received_at")
    WHERE "processed_at" IS NULL;
