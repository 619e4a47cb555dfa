-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "reported_since" TIMESTAMPTZ(3);
