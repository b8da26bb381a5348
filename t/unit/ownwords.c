/* SPDX-License-Identifier: Apache-2.0
 * What somebody wrote in an e-mail, as programs put it over, into, and below the mail that it answers. Names and hosts are made up; the forms are those of Gmail, Apple
 * Mail, Outlook, Thunderbird, Yahoo, ProtonMail, and others. */
#include "tap.h"

#include "base/buf.h"
#include "base/ctx.h"
#include "tickets/ownwords.h"

static const struct {
	const char *text, *want, *name;
} cases[] = {
	/* Gmail, and whose program says it in the same way */
	{ "It works.\n\nOn Tue, Mar 3, 2026 at 9:14 AM Support <help+k@support.example> wrote:\n\n> Run it again.\n>\n> Sam\n", "It works.", "Gmail" },
	{ "Es geht.\n\nAm Di., 3. März 2026 um 09:14 Uhr schrieb Support <help+k@support.example>:\n\n> Run it again.\n", "Es geht.", "Gmail in German" },
	{ "Ça marche.\n\nLe mar. 3 mars 2026 à 09:14, Support <help@support.example> a\nécrit :\n\n> Run it again.\n", "Ça marche.", "Gmail in French, wrapped" },
	{ "Funciona.\n\nEl mar, 3 mar 2026 a las 9:14, Support (<help@support.example>)\nescribió:\n\n> Run it again.\n", "Funciona.", "Gmail in Spanish" },
	{ "Va.\n\nIl giorno mar 3 mar 2026 alle ore 09:14 Support <help@support.example> ha\nscritto:\n\n> Run it again.\n", "Va.", "Gmail in Italian" },
	{ "Ok.\n\nEm ter., 3 de mar. de 2026 às 09:14, Support <help@support.example>\nescreveu:\n\n> x\n", "Ok.", "Gmail in Portuguese" },
	{ "Ja.\n\nOp di 3 mrt 2026 om 09:14 schreef Support <help@support.example>:\n\n> x\n", "Ja.", "Gmail in Dutch" },
	{ "Tack.\n\nDen tis 3 mars 2026 kl 09:14 skrev Support <help@support.example>:\n\n> x\n", "Tack.", "Gmail in Swedish" },
	{ "Tak.\n\nwt., 3 mar 2026 o 09:14 Support <help@support.example> napisał(a):\n\n> x\n", "Tak.", "Gmail in Polish" },
	{ "Да.\n\nвт, 3 мар. 2026 г. в 09:14, Support <help@support.example>:\n\n> x\n", "Да.\n\nвт, 3 мар. 2026 г. в 09:14, Support <help@support.example>:", "Gmail in Russian, which has no verb: the line stays" },
	{ "Да.\n\n03.03.2026 09:14, Support пишет:\n> x\n", "Да.", "Thunderbird in Russian" },
	{ "是的。\n\nSupport <help@support.example> 于2026年3月3日周二 09:14写道：\n\n> x\n", "是的。", "Gmail in Chinese, with the colon of Chinese" },
	{ "はい。\n\n2026年3月3日(火) 9:14 Support <help@support.example>のメール:\n> x\n", "はい。", "in Japanese" },
	{ "네.\n\n2026년 3월 3일 (화) 오전 9:14, Support <help@support.example>님이 작성:\n\n> x\n", "네.", "in Korean" },
	{ "Yes.\n\nOn Mar 3, 2026, at 9:14 AM, Support <help@support.example> wrote:\n\nRun it again.\n\nSam\n", "Yes.", "without any mark on what is quoted" },
	{ "Yes.\n\nOn Tuesday, March 3rd, 2026 at 9:14 AM, Support <help@support.example> wrote:\n\n> x\n", "Yes.", "ProtonMail" },
	/* Outlook */
	{ "Yes.\n\n-----Original Message-----\nFrom: Support <help@support.example>\nSent: Tuesday, March 3, 2026 9:14 AM\nTo: Jo\nSubject: RE: Nightly job\n\nRun it again.\n", "Yes.", "Outlook" },
	{ "Ja.\n\n-----Ursprüngliche Nachricht-----\nVon: Support\nGesendet: Dienstag\nAn: Jo\nBetreff: x\n\nNochmal.\n", "Ja.", "Outlook in German" },
	{ "Ja.\n\nVon: Support <help@support.example>\nGesendet: Dienstag, 3. März 2026 09:14\nAn: Jo <jo@fernhill.example>\nBetreff: AW: x\n\nNochmal.\n", "Ja.", "... with a head alone" },
	{ "Yes.\n________________________________\nFrom: Support <help@support.example>\nSent: Tuesday, March 3, 2026 9:14 AM\nTo: Jo\nSubject: Re: x\n\nRun.\n", "Yes.", "Outlook on the web, under a line" },
	{ "Oui.\n\nDe : Support <help@support.example>\nEnvoyé : mardi 3 mars 2026 09:14\nÀ : Jo\nObjet : x\n\nEncore.\n", "Oui.", "Outlook in French" },
	{ "Oui.\n\nDe\xc2\xa0: Support\nEnvoyé\xc2\xa0: mardi\n\xc3\x80\xc2\xa0: Jo\nObjet\xc2\xa0: x\n\nEncore.\n", "Oui.", "... with its own spaces" },
	{ "Sí.\n\nDe: Support\nEnviado el: martes\nPara: Jo\nAsunto: x\n\nOtra vez.\n", "Sí.", "Outlook in Spanish" },
	{ "Jo.\n\nFrån: Support\nSkickat: tisdag\nTill: Jo\nÄmne: x\n\nIgen.\n", "Jo.", "Outlook in Swedish" },
	{ "Да.\n\nОт: Support\nОтправлено: 3 марта\nКому: Jo\nТема: x\n\nЕщё.\n", "Да.", "Outlook in Russian" },
	{ "好。\n\n发件人: Support\n发送时间: 2026年3月3日\n收件人: Jo\n主题: x\n\n再来。\n", "好。", "Outlook in Chinese" },
	{ "Yes.\n\n*From:* Support\n*Sent:* Tuesday\n*To:* Jo\n*Subject:* x\n\nRun.\n", "Yes.", "where what is bold has stars" },
	/* within, and above */
	{ "On Tue, Support <help@support.example> wrote:\n> Which job?\nThe nightly one.\n> Since when?\nFriday.\n\n> Sam\n> Support\n", "On Tue, Support <help@support.example> wrote:\n> Which job?\nThe nightly one.\n> Since when?\nFriday.", "answers between what is quoted stay with it" },
	{ "> Which job?\n\nThe nightly one.\n", "> Which job?\n\nThe nightly one.", "so do answers below" },
	{ "The job wrote:\n\nERROR 500 at 10:32:17\n\nWhat now?\n", "The job wrote:\n\nERROR 500 at 10:32:17\n\nWhat now?", "who says that something wrote is no program" },
	{ "From: the office\nto: the shop, on foot.\n", "From: the office\nto: the shop, on foot.", "nor is one line with From: a head" },
	{ "See below.\n\n---------- Forwarded message ---------\nFrom: Ann <ann@fernhill.example>\nDate: Tue\nSubject: x\nTo: Jo\n\nIt fails.\n", "See below.\n\n---------- Forwarded message ---------\nFrom: Ann <ann@fernhill.example>\nDate: Tue\nSubject: x\nTo: Jo\n\nIt fails.", "what is forwarded stays" },
	{ "FYI\n\nBegin forwarded message:\n\nFrom: Ann\nSubject: x\nDate: Tue\nTo: Jo\n\nIt fails.\n", "FYI\n\nBegin forwarded message:\n\nFrom: Ann\nSubject: x\nDate: Tue\nTo: Jo\n\nIt fails.", "... with Apple's words, too" },
	{ "> all of it\n> is quoted\n", "> all of it\n> is quoted\n", "where nothing is one's own, all stays" },
	{ "\n\nOn Tue, Support <help@support.example> wrote:\n> x\n", "\n\nOn Tue, Support <help@support.example> wrote:\n> x\n", "... with the line above it" },
	/* signatures */
	{ "Hello.\n\n-- \nJo Fern\nFernhill Ltd\n", "Hello.", "a signature" },
	{ "Hello.\n-- \nJo\n\nOn Tue, Support <help@support.example> wrote:\n> x\n", "Hello.", "above what is quoted" },
	{ "On Tue, Support <help@support.example> wrote:\n> x\nYes.\n-- \nJo\n", "On Tue, Support <help@support.example> wrote:\n> x\nYes.", "below it" },
	{ "Hello.\n\n--\nJo\n", "Hello.", "without its space" },
	{ "a\n--\nb\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n", "a\n--\nb\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13", "two dashes far from the end are no signature" },
	{ "Hello.\n\nSent from my iPhone\n", "Hello.", "a telephone's" },
	{ "Hallo.\n\nVon meinem iPhone gesendet\n\n> Am 03.03.2026 um 09:14 schrieb Support <help@support.example>:\n>\n> x\n", "Hallo.", "above what is quoted" },
	{ "Why here?\n\nSent from my desk, is much easier than my phone.\n", "Why here?\n\nSent from my desk, is much easier than my phone.", "a sentence that begins like it stays" },
	{ "It fails.\n\nSent from my phone it never arrived.\n", "It fails.\n\nSent from my phone it never arrived.", "... and a shorter one" },
	{ "Hello.\n\nSent from my Verizon, Samsung Galaxy smartphone\n", "Hello.", "a telephone's with a comma" },
	{ "Hello.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n", "Hello.", "Outlook's" },
	{ "Nein.\nVon meinem Chef weiß ich nichts\n", "Nein.\nVon meinem Chef weiß ich nichts", "whose words others may begin with" },
	/* what stays as it is */
	{ "", "", "nothing" },
	{ "one\n\n\n  two\tthree\n", "one\n\n\n  two\tthree", "spaces within" },
	{ "Run\n\n    $ foo --bar\n    > out\n\nand it fails.\n", "Run\n\n    $ foo --bar\n    > out\n\nand it fails.", "a shell's prompt" },
};

int
main(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct buf b = BUF(c->mem);
	const char *out;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_str(own_words(c->mem, cases[i].text), cases[i].want, cases[i].name);
	for (int i = 0; i < 20000; i++)
		buf_str(&b, i % 3 ? "from: de: von:\n" : "on wrote\n");
	out = own_words(c->mem, buf_done(&b));
	ok(strlen(out) <= b.n, "many lines that look like the beginning of something");
	ctx_end(c);
	return done();
}
