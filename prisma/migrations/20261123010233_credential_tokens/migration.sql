-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "method" TEXT;
