-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "old_secret_until" TIMESTAMPTZ(3),
ADD COLUMN     "sealed_old_secret" BYTEA,
ADD COLUMN     "sealed_secret" BYTEA;
