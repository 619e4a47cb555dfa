-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "method" TEXT;

-- CreateTable
CREATE TABLE "credential_tokens" (
    "credential_id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "sealed_tokens" BYTEA,
    "expires_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "failure" TEXT,
    "holder" UUID,
    "held_until" TIMESTAMPTZ(3),

    CONSTRAINT "credential_tokens_pkey" PRIMARY KEY ("credential_id")
);

-- CreateTable
CREATE TABLE "oauth_clients" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("environment_id","app")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_clients_id_key" ON "oauth_clients"("id");

-- AddForeignKey
ALTER TABLE "credential_tokens" ADD CONSTRAINT "credential_tokens_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_clients" ADD CONSTRAINT "oauth_clients_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
