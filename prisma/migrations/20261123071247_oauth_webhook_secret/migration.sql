-- AlterTable
ALTER TABLE "oauth_clients" ADD COLUMN     "sealed_webhook_secret" BYTEA;
