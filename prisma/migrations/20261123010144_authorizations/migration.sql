-- CreateTable
CREATE TABLE "authorizations" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "credential_id" UUID,
    "ticket_hash" TEXT,
    "state_hash" TEXT,
    "cookie_hash" TEXT,
    "sealed_flow" BYTEA,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "result_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "authorizations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "authorizations_ticket_hash_key" ON "authorizations"("ticket_hash");

-- CreateIndex
CREATE UNIQUE INDEX "authorizations_state_hash_key" ON "authorizations"("state_hash");

-- CreateIndex
CREATE INDEX "authorizations_user_id_idx" ON "authorizations"("user_id");

-- CreateIndex
CREATE INDEX "authorizations_expires_at_idx" ON "authorizations"("expires_at");

-- AddForeignKey
ALTER TABLE "authorizations" ADD CONSTRAINT "authorizations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "end_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
