-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "account_changed" BOOLEAN NOT NULL DEFAULT false;
