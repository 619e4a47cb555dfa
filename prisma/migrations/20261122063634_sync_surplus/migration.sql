-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "surplus" INTEGER;
